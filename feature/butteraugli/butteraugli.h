// Butteraugli: its entry in the registry.
#pragma once

#include "feature/device_feature.h"
#include "feature/feature.h"

namespace vq::butteraugli {

// Names of the stages on a device.
inline constexpr std::string_view kLightStage = "light", kBandsStage = "bands", kCompareStage = "compare";

const FeatureInfo& feature_info();
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::butteraugli
