// SpEED-QA as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::speed {

const FeatureInfo& chroma_feature_info();
const FeatureInfo& temporal_feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are the same: the device reduces the planes, the host
// does the rest, for several frames in parallel.
extern const DeviceSupport kChromaDeviceSupport, kTemporalDeviceSupport;

}  // namespace vq::speed
