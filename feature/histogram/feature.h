// Histograms as the registry lists them, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/histogram/plan.h"

namespace vq::histogram {

const FeatureInfo& feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const HistogramPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device counts, the host makes
// figures of the counts.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::histogram
