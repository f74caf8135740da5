// Histograms as the registry lists them.
#pragma once

#include "feature/feature.h"

namespace vq::histogram {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device counts, the host makes figures of
// the counts.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::histogram
