// Motion on a Vulkan device. The hybrid and the vulkan backend are one: the device sums up blurred differences by tiles, the
// host adds those sums.
#pragma once

#include "feature/device_feature.h"

namespace vq::motion {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

// For a reference of that format.
FeatureMemory device_memory(const VideoFormat& reference);

}  // namespace vq::motion
