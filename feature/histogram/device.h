// Histograms on a Vulkan device. The hybrid and the vulkan backend are one: the device counts, the host makes
// figures of the counts.
#pragma once

#include "feature/device_feature.h"
#include "feature/histogram/plan.h"

namespace vq::histogram {

// Null in a build without Vulkan.
const DeviceSupport* device_support();

FeatureMemory device_memory(const HistogramPlan& plan);

}  // namespace vq::histogram
