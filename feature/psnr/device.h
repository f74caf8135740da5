// PSNR's stage as a pass on a Vulkan device. The contract is that of feature/psnr/psnr.h; the shader is
// shaders/psnr/squared_error.comp.
#pragma once

#include <cstdint>
#include <string>

#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::psnr::gpu {

// Why a device cannot run the shader; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// A plane, and how far its samples are shifted left to the depth they are compared at, 0..8.
struct Operand {
  const vulkan::DevicePlane& plane;
  int shift = 0;
};

// Compares two planes of one size, as often as there are frames. Sums of work groups are left in a buffer
// that may hold those of several passes; the host adds them up.
class SquaredErrorPass {
 public:
  // The planes and the context outlive this. Throws Error{kBackend}.
  SquaredErrorPass(vulkan::Context& context, const Operand& a, const Operand& b);

  int64_t sum_bytes() const;
  // Writes sum_bytes() to `sums` from `offset` on, a multiple of 8.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const;
  // The sum of squared differences, from sum_bytes() that the pass has written.
  uint64_t squared_error(const std::byte* sums) const;

 private:
  int64_t group_count() const { return int64_t{groups_.x} * groups_.y; }

  const vulkan::DevicePlane &a_, &b_;
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::psnr::gpu
