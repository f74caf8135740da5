// XPSNR as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::xpsnr {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up integers by blocks, the
// host weights them.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::xpsnr
