#include "feature/device_feature.h"

#include "core/error.h"

namespace vq {

const vulkan::DevicePicture& DeviceFrame::needed_reference() const {
  if (reference == nullptr) throw Error(ErrorKind::kInternal, "a device has no reference for a feature that uses it");
  return *reference;
}

vulkan::Requirement device_requirement(std::span<const FeatureInfo* const> features, Backend backend) {
  return [infos = std::vector(features.begin(), features.end()), backend](const vulkan::DeviceInfo& device) {
    for (const FeatureInfo* info : infos) {
      if (info->device == nullptr) continue;  // left to the host
      std::string reason = info->device->unsupported(backend, device);
      if (!reason.empty()) return reason;
    }
    return std::string();
  };
}

}  // namespace vq
