// VIF on a Vulkan device. The hybrid and the vulkan backend are one: the device makes the pictures of all scales and sums up
// what their samples tell by work groups, the host adds those sums.
#pragma once

#include "feature/device_feature.h"
#include "feature/vif/plan.h"

namespace vq::vif {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const VifPlan& plan);

}  // namespace vq::vif
