// VIF as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::vif {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device makes the pictures of all scales
// and sums up what their samples tell by work groups, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::vif
