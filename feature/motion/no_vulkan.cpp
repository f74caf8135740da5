// Stands in for motion on devices in a build without Vulkan.
#include "feature/motion/device.h"

namespace vq::motion {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const VideoFormat&) {
  return {};
}

}  // namespace vq::motion
