// Stands in for PSNR on devices in a build without Vulkan.
#include "feature/psnr/device.h"

namespace vq::psnr {

const DeviceSupport* device_support() {
  return nullptr;
}

FeatureMemory device_memory(const PsnrPlan&) {
  return {};
}

}  // namespace vq::psnr
