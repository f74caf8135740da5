// CIEDE2000's stages as one pass on a Vulkan device with doubles. The contracts are those of
// feature/ciede/ciede.h; the shader is shaders/ciede/differences.comp.
#pragma once

#include <cstdint>
#include <string>

#include "feature/ciede/ciede.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::ciede::gpu {

// Why a device cannot run the shader, apart from doubles; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// The differences of all samples, as often as there are frames, into memory that the host reads.
class DifferencesPass {
 public:
  // The pictures, of all planes, and the context outlive this. Throws Error{kBackend}. Needs: a device with
  // doubles.
  DifferencesPass(vulkan::Context& context, const CiedePlan& plan, const vulkan::DevicePicture& reference,
                  const vulkan::DevicePicture& distorted);

  void record(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;

  // Valid after what was recorded has run.
  PlaneView<const float> differences() const;
  int64_t bytes_read() const { return readback_.bytes(); }
  // Bytes that the constructor allocates.
  static int64_t bytes(PlaneSize size);

 private:
  const CiedePlan plan_;
  const vulkan::DevicePicture &reference_, &distorted_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::DevicePlane out_;
  const vulkan::Buffer readback_;
};

}  // namespace vq::ciede::gpu
