// VIF's stages as passes on a Vulkan device. The contracts are those of feature/vif/vif.h; the shaders are
// in shaders/vif/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "feature/vif/vif.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::vif::gpu {

// Why a device cannot run one of the shaders; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// Both pictures of a scale, a word for each sample of either.
struct PicturePair {
  PlaneSize size;
  vulkan::Buffer buffer;

  int64_t pitch() const;  // words
  static int64_t bytes(PlaneSize size);
};

// A plane, how far its samples are shifted left to the depth they are compared at, 0..8, and their own depth.
struct Operand {
  const vulkan::DevicePlane& plane;
  int shift = 0;
  int bit_depth = 8;
};

// Combines two planes. For all passes here: their inputs outlive them, and constructors throw
// Error{kBackend}.
class PairPass {
 public:
  PairPass(vulkan::Context& context, const Operand& reference, const Operand& distorted);
  // Writes the pictures, and a word to `beyond`: whether there are samples beyond the depth of their plane.
  void record(vulkan::Recorder& recorder, const PicturePair& out, const vulkan::Buffer& beyond) const;

 private:
  const vulkan::DevicePlane &reference_, &distorted_;
  const vulkan::Pipeline& pipeline_;
};

// Makes the pictures of the next scale from those of a scale of that size.
class DecimatePass {
 public:
  DecimatePass(vulkan::Context& context, const Scale& scale, PlaneSize size);
  void record(vulkan::Recorder& recorder, const PicturePair& in, const PicturePair& out) const;

 private:
  const Scale scale_;
  const vulkan::Pipeline& pipeline_;
};

// Leaves sums of work groups, which the host adds up.
class StatisticsPass {
 public:
  StatisticsPass(vulkan::Context& context, const Scale& scale, PlaneSize size, double gain_limit);

  static int64_t sum_bytes(PlaneSize size);
  // Writes sum_bytes().
  void record(vulkan::Recorder& recorder, const PicturePair& pictures, const vulkan::Buffer& sums) const;
  // From what the pass has written.
  ScaleSums sums(const std::byte* written) const;

 private:
  const Scale scale_;
  const double gain_limit_;
  const PlaneSize size_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer& log_entries_;
};

}  // namespace vq::vif::gpu
