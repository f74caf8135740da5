// Motion as the registry lists it, on the CPU and on a Vulkan device.
#pragma once

#include <memory>

#include "feature/feature.h"
#include "feature/motion/options.h"

namespace vq::motion {

const FeatureInfo& feature_info();

// On the CPU.
// Results have the pair score alone: a sequence makes the values. Pictures are those of the reference, of this format.
std::unique_ptr<HostFeature> make_host_feature(const MotionOptions& options, const VideoFormat& reference,
                                               const Execution& execution);

FeatureMemory host_feature_memory(const VideoFormat& reference, const Execution& execution);

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up blurred differences by tiles, the
// host adds those sums.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::motion
