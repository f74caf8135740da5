// PSNR as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::psnr {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up squared differences by
// work groups, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::psnr
