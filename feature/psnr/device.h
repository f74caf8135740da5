// PSNR on a Vulkan device. The hybrid and the vulkan backend are one: the device sums up squared differences by work
// groups, the host adds those sums.
#pragma once

#include "feature/device_feature.h"
#include "feature/psnr/plan.h"

namespace vq::psnr {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const PsnrPlan& plan);

}  // namespace vq::psnr
