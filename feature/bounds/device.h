// The two stages of feature/active_area.h as passes on a Vulkan device; the shaders are
// shaders/bounds/count_non_black.comp and shaders/bounds/active_area.comp.
#pragma once

#include <string>

#include "feature/active_area.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::bounds::gpu {

// Why a device cannot run the shaders; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// Finds the lit area of a plane, as often as there are frames.
class ActiveAreaPasses {
 public:
  // The plane and the context outlive this. Throws Error{kBackend}.
  ActiveAreaPasses(vulkan::Context& context, const vulkan::DevicePlane& luma, const LitRule& rule);

  // Names the stages of the recording.
  void record(vulkan::Recorder& recorder) const;
  int64_t bytes_read() const { return readback_.bytes(); }
  // Valid after what was recorded has run.
  ActiveArea area() const;

 private:
  const vulkan::DevicePlane& luma_;
  const LitRule rule_;
  const vulkan::Pipeline &count_lit_, &active_area_;
  vulkan::Buffer counts_;  // of all rows, then of all columns
  vulkan::Buffer area_, readback_;
};

}  // namespace vq::bounds::gpu
