// Stands in for SSIM on devices in a build without Vulkan.
#include "feature/ssim/device.h"

namespace vq::ssim {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const SsimPlan&, const Execution&) {
  return {};
}

}  // namespace vq::ssim
