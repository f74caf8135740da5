// SpEED-QA as the registry lists it, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/speed/plan.h"

namespace vq::speed {

const FeatureInfo& chroma_feature_info();
const FeatureInfo& temporal_feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_chroma_feature(const SpeedPlan& plan, const Execution& execution);
std::unique_ptr<HostFeature> make_temporal_feature(const SpeedPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device reduces the planes, the host does the
// rest, several frames at a time.
extern const DeviceSupport kChromaDeviceSupport, kTemporalDeviceSupport;

}  // namespace vq::speed
