// VIF as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::vif {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are the same: the device computes the pictures of all
// scales and sums of information per work group, which the host adds.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::vif
