// Converts planes whose samples are not laid out as shaders expect.
#pragma once

#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/picture_source.h"

namespace vq {

class GatherPlanes final : public vulkan::PlaneUnpacker {
 public:
  // `sample_bytes`: 1 or 2. The context outlives this. Throws Error{kBackend}.
  GatherPlanes(vulkan::Context& context, int sample_bytes);
  bool unpacks(const vulkan::PlaneSource& source, const vulkan::DevicePlane& to) const override;
  void record(vulkan::Upload& upload, const vulkan::PlaneSource& source,
              const vulkan::DevicePlane& to) const override;

 private:
  const vulkan::DeviceInfo& device_;
  const vulkan::Pipeline& pipeline_;
  const int sample_bytes_;
};

}  // namespace vq
