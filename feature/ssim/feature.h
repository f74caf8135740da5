// SSIM and MS-SSIM as the registry lists them, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/ssim/plan.h"

namespace vq::ssim {

const FeatureInfo& ssim_info();
const FeatureInfo& ms_ssim_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const SsimPlan& plan, const Execution& execution);

FeatureMemory host_memory(const SsimPlan& plan, const Execution& execution);

// On a Vulkan device, which shrinks both pictures; the host compares what is left of them. The hybrid and the vulkan backend
// are one. Pictures that are not shrunk are compared on the host alone.
inline constexpr std::string_view kShrinkStage = "shrink", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

}  // namespace vq::ssim
