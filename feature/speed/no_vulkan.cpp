// Stands in for SpEED-QA on devices in a build without Vulkan.
#include "feature/speed/device.h"

namespace vq::speed {

const DeviceSupport* chroma_device_support() {
  return nullptr;
}

const DeviceSupport* temporal_device_support() {
  return nullptr;
}

FeatureMemory chroma_device_memory(const SpeedPlan&, int64_t) {
  return {};
}

FeatureMemory temporal_device_memory(const SpeedPlan&, int64_t) {
  return {};
}

}  // namespace vq::speed
