// SSIM and MS-SSIM as the registry lists them.
#pragma once

#include "feature/feature.h"

namespace vq::ssim {

const FeatureInfo& ssim_info();
const FeatureInfo& ms_ssim_info();

// On a Vulkan device, which shrinks both pictures; the host compares the results. The hybrid and the vulkan
// backend are the same. Pictures that are not shrunk are compared on the host alone.
inline constexpr std::string_view kShrinkStage = "shrink", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

// On a Vulkan device, which halves and compares pictures of all scales. It leaves bounds of the sums; where
// these do not settle a frame's values the host computes them from the pictures.
inline constexpr std::string_view kHalveStage = "halve";

extern const DeviceSupport kMsSsimDeviceSupport;

}  // namespace vq::ssim
