// Stands in for VIF on devices in a build without Vulkan.
#include "feature/vif/device.h"

namespace vq::vif {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const VifPlan&) {
  return {};
}

}  // namespace vq::vif
