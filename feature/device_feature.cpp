#include "feature/device_feature.h"

namespace vq {

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
