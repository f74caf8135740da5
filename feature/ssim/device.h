// SSIM on a Vulkan device, which shrinks both pictures; the host compares what is left of them. The hybrid and the vulkan backend
// are one. Pictures that are not shrunk are compared on the host alone.
#pragma once

#include "feature/device_feature.h"
#include "feature/ssim/plan.h"

namespace vq::ssim {

inline constexpr std::string_view kShrinkStage = "shrink", kCompareStage = "compare";

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const SsimPlan& plan, const Execution& execution);

}  // namespace vq::ssim
