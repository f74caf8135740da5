// The bounds of the picture on a Vulkan device. The hybrid and the vulkan backend are one: all is done there, and four
// numbers of each frame come back.
#pragma once

#include "feature/bounds/plan.h"
#include "feature/device_feature.h"

namespace vq::bounds {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const BoundsPlan& plan);

}  // namespace vq::bounds
