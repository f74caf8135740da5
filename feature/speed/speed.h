// SpEED-QA as the registry lists it.
#pragma once

#include "feature/feature.h"

namespace vq::speed {

const FeatureInfo& chroma_feature_info();
const FeatureInfo& temporal_feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device reduces the planes, the host does
// the rest, several frames at a time.
extern const DeviceSupport kChromaDeviceSupport, kTemporalDeviceSupport;

}  // namespace vq::speed
