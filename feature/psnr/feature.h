// PSNR as the registry lists it, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/psnr/plan.h"

namespace vq::psnr {

const FeatureInfo& feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const PsnrPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up squared differences by work
// groups, the host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::psnr
