// SSIM's first stage as a pass on a Vulkan device. The contract is that of feature/ssim/plan.h; the shader
// is shaders/ssim/shrink.comp.
#pragma once

#include <string>

#include "feature/ssim/plan.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::ssim::gpu {

// Why a device cannot run the shader; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// Shrinks one picture after another, into memory that the host reads.
class ShrinkPass {
 public:
  // `luma`: of samples of that depth, 8..16; `factor`: 2..kMaxShrink, at most its sides. The plane and the
  // context outlive this. Throws Error{kBackend}.
  ShrinkPass(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth, int factor);

  void record(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;
  // Valid after both have run. Rows are aligned as those of a Plane, and have its guards behind, but not
  // before them.
  PlaneView<const float> shrunk_picture() const;
  int64_t bytes_read() const { return readback_.bytes(); }

  // What the constructor allocates, on the host and on the device, for a shrunk picture of this size.
  static int64_t bytes(PlaneSize size);

 private:
  const vulkan::DevicePlane& luma_;
  const int bit_depth_, factor_;
  const vulkan::Pipeline& pipeline_;
  vulkan::DevicePlane out_;
  vulkan::Buffer readback_;
};

}  // namespace vq::ssim::gpu
