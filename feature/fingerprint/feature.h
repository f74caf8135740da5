// The fingerprint as the registry lists it, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/fingerprint/plan.h"

namespace vq::fingerprint {

const FeatureInfo& feature_info();

// On the CPU.
std::unique_ptr<HostFeature> make_host_feature(const FingerprintPlan& plan, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up mixed
// words by work groups, the host adds those sums and makes the hash.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::fingerprint
