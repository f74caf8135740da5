// SSIMULACRA 2 as the registry lists it.
#pragma once

#include <string_view>

#include "feature/feature.h"

namespace vq::ssimulacra2 {

const FeatureInfo& feature_info();

// On a Vulkan device, which does all but the final sums: the hybrid and the vulkan backend are the same.
inline constexpr std::string_view kLightStage = "light", kHalveStage = "halve", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

}  // namespace vq::ssimulacra2
