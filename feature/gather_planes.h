// Planes whose samples lie in another way than shaders want them.
#pragma once

#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/picture_source.h"

namespace vq {

class GatherPlanes final : public vulkan::PlaneUnpacker {
 public:
  // For samples of so many bytes. The context outlives this. Throws Error{kBackend}.
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
