// From differences of frames to what motion reports.
//
// Rounding: figures equal libvmaf's to the last bit. Differences are exact integers; all else is double, each operation rounded
// in the order in which it is written.
#pragma once

#include <cstdint>
#include <memory>

#include "feature/feature.h"
#include "feature/motion/options.h"

namespace vq::motion {

// The score of a frame by its blurred difference from the one that it is compared with.
double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size);

// Makes the values of frames, in the order of metric_names(), from results whose first value is the pair score: 0 for the
// first frames, which have none to be compared with. Values come a frame late, those of the first ones even later under the
// five-frame window.
std::unique_ptr<FrameSequence> make_motion_sequence(const MotionOptions& options);

}  // namespace vq::motion
