// PSNR-HVS-M as libvmaf's feature psnr_hvs, as the registry lists it. It has no options.
#pragma once

#include "feature/feature.h"

namespace vq::psnr_hvs {

const FeatureInfo& feature_info();

// On a Vulkan device, which does all of it. The hybrid and the vulkan backend are the same.
inline constexpr std::string_view kTermsStage = "terms", kSumStage = "sum";

extern const DeviceSupport kDeviceSupport;

}  // namespace vq::psnr_hvs
