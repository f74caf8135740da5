// Metrics of pairs of pictures: a video's first two, as reference and distorted or one after the other.
#pragma once

#include <benchmark/benchmark.h>

#include "feature/motion/motion.h"
#include "feature/vif/vif.h"
#include "tests/bench/bench_video.h"

namespace vq::cambi::bench {

// All stages of VIF.
void run_vif(benchmark::State& state, const Video& video, const vif::VifStages& stages);
// The difference of the two pictures.
void run_motion(benchmark::State& state, const Video& video, motion::BlurredDifference blurred_difference);

}  // namespace vq::cambi::bench
