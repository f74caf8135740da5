// Stands in for the fingerprint on devices in a build without Vulkan.
#include "feature/fingerprint/device.h"

namespace vq::fingerprint {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const FingerprintPlan&) {
  return {};
}

}  // namespace vq::fingerprint
