// ADM as the registry lists it, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/adm/plan.h"

namespace vq::adm {

const FeatureInfo& feature_info();

// On the CPU.
// For videos of the plan.
std::unique_ptr<HostFeature> make_host_feature(const AdmPlan& plan, const Execution& execution);

// What that allocates for work.
FeatureMemory host_memory(const AdmPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device does all that is done for samples and rows,
// the host adds up a few hundred sums and makes scores of them.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::adm
