// Stands in for the bounds on devices in a build without Vulkan.
#include "feature/bounds/device.h"

namespace vq::bounds {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const BoundsPlan&) {
  return {};
}

}  // namespace vq::bounds
