// The fingerprint on a Vulkan device. The hybrid and the vulkan backend are one: the device sums up mixed
// words by work groups, the host adds those sums and makes the hash.
#pragma once

#include "feature/device_feature.h"
#include "feature/fingerprint/plan.h"

namespace vq::fingerprint {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const FingerprintPlan& plan);

}  // namespace vq::fingerprint
