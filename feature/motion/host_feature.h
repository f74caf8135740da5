// Motion on the CPU.
#pragma once

#include <memory>

#include "feature/feature.h"
#include "feature/motion/options.h"

namespace vq::motion {

// Results have the pair score alone: a sequence makes the values. Pictures are those of the reference, of this format;
// frames with a sample above its depth's maximum are refused.
std::unique_ptr<HostFeature> make_host_feature(const MotionOptions& options, const VideoFormat& reference,
                                               const Execution& execution);

FeatureMemory host_feature_memory(const VideoFormat& reference, const Execution& execution);

}  // namespace vq::motion
