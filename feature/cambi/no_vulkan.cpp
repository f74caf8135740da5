// Stands in for CAMBI on devices in a build without Vulkan.
#include "feature/cambi/device.h"

namespace vq::cambi {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const CambiPlans&, const Execution&) {
  return {};
}

}  // namespace vq::cambi
