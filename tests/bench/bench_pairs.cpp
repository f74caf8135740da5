#include "tests/bench/bench_pairs.h"

namespace vq::cambi::bench {

using benchmark::State;

void run_vif(State& state, const Video& video, const vif::VifStages& stages) {
  const vif::VifPlan plan = vif::Vif::make_plan({}, {video.formats.distorted, video.formats.distorted});
  vif::Workspace workspace(plan);
  for (auto _ : state) {
    benchmark::DoNotOptimize(vif::score_pictures(plan, {video.luma(0), video.luma(1)}, stages, workspace));
  }
}

void run_motion(State& state, const Video& video, motion::BlurredDifference blurred_difference) {
  motion::Rows rows(video.formats.distorted.width);
  const motion::Pictures pictures = {video.luma(0), video.luma(1), video.formats.distorted.bit_depth};
  for (auto _ : state) benchmark::DoNotOptimize(blurred_difference(pictures, rows));
}

}  // namespace vq::cambi::bench
