// SpEED-QA on a Vulkan device. The hybrid and the vulkan backend are one: the device reduces the planes, the host does the
// rest, several frames at a time.
#pragma once

#include "feature/device_feature.h"
#include "feature/speed/plan.h"

namespace vq::speed {

// Null in a build without Vulkan.
const DeviceSupport* chroma_device_support();
const DeviceSupport* temporal_device_support();

FeatureMemory chroma_device_memory(const SpeedPlan& plan, int64_t threads);
FeatureMemory temporal_device_memory(const SpeedPlan& plan, int64_t threads);

}  // namespace vq::speed
