// Motion's stage as a pass on a Vulkan device. The contract is that of feature/motion/motion.h; the shader is
// shaders/motion/blurred_difference.comp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::motion::gpu {

// Why a device cannot run the shader; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// Two planes of one size and type, with this number of bits per sample, 8..16.
struct Operands {
  const vulkan::DevicePlane &before, &now;
  int bit_depth = 8;
};

// Compares the planes, as often as there are frames. Sums of tiles are left in a buffer; the host adds them
// up.
class BlurredDifferencePass {
 public:
  // The planes and the context outlive this. Throws Error{kBackend}.
  BlurredDifferencePass(vulkan::Context& context, const Operands& operands);

  int64_t sum_bytes() const;
  // For pictures of that size.
  // Needs: `sums` of sum_bytes().
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& sums) const;
  // The difference, from the sums that the pass has written.
  uint64_t difference(const std::byte* sums) const;
  // Whether a sample of the plane `now` exceeds its depth's maximum. The difference is of no use then.
  bool has_excess(const std::byte* sums) const;

 private:
  const Operands operands_;
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::motion::gpu
