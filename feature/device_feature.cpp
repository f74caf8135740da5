#include "feature/device_feature.h"

#include <algorithm>

#include "core/error.h"

namespace vq {

const vulkan::DevicePicture& DeviceFrame::needed_reference() const {
  if (reference == nullptr)
    throw Error(ErrorKind::kInternal, "a device has no reference for a feature that uses it");
  return *reference;
}

bool DeviceRun::looks_at_every_frame() const {
  return std::any_of(parts.begin(), parts.end(), [](const DevicePart& part) { return part.every_frame; });
}

vulkan::Requirement device_requirement(std::span<const FeatureInfo* const> features, Backend backend) {
  return [infos = std::vector(features.begin(), features.end()), backend](const vulkan::DeviceInfo& device) {
    for (const FeatureInfo* info : infos) {
      const DeviceSupport* const support = device_support(*info);
      if (support == nullptr) continue;  // left to the host
      std::string reason = support->unsupported(backend, device);
      if (!reason.empty()) return reason;
    }
    return std::string();
  };
}

}  // namespace vq
