// The bounds of the picture as the registry lists them, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/bounds/plan.h"
#include "feature/feature.h"

namespace vq::bounds {

const FeatureInfo& feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const BoundsPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: all is done there, and four
// numbers of each frame come back.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::bounds
