// VIF as the registry lists it, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/vif/plan.h"

namespace vq::vif {

const FeatureInfo& feature_info();

// On the CPU.
// For videos of the plan.
std::unique_ptr<HostFeature> make_host_feature(const VifPlan& plan, const Execution& execution);

FeatureMemory host_feature_memory(const VifPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device makes the pictures of all scales and sums up
// what their samples tell by work groups, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::vif
