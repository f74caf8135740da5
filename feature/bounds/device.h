// The two stages of feature/lit_area.h as passes on a Vulkan device; the shaders are
// shaders/bounds/count_lit.comp and shaders/bounds/lit_area.comp.
#pragma once

#include <string>

#include "feature/lit_area.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::bounds::gpu {

// Why a device cannot run the shaders; empty where it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// Finds the lit area of a plane, as often as there are frames.
class LitAreaPasses {
 public:
  // The plane and the context outlive this. Throws Error{kBackend}.
  LitAreaPasses(vulkan::Context& context, const vulkan::DevicePlane& luma, const LitRule& rule);

  // Names the stages of the recording.
  void record(vulkan::Recorder& recorder) const;
  int64_t bytes_read() const { return readback_.bytes(); }
  // Valid after what was recorded has run.
  LitArea area() const;

 private:
  const vulkan::DevicePlane& luma_;
  const LitRule rule_;
  const vulkan::Pipeline &count_lit_, &lit_area_;
  vulkan::Buffer counts_;  // of all rows, then of all columns
  vulkan::Buffer area_, readback_;
};

}  // namespace vq::bounds::gpu
