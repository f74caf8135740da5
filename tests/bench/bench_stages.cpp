#include "tests/bench/bench_stages.h"

#include <algorithm>

namespace vq::cambi::bench {
namespace {

using benchmark::Counter;
using benchmark::State;

void set_counters(State& state, const Video& video, double bytes_per_pixel) {
  count_pixels(state, video.pixels());
  state.counters["GB/s"] = Counter(static_cast<double>(video.pixels()) * bytes_per_pixel * 1e-9,
                                   Counter::kIsIterationInvariantRate);
}

// Bytes that five scales move where the first moves one a pixel.
constexpr double kAllScales = 4.0 / 3;

// Drops what it is given.
class NoSink final : public CValueSink {
 public:
  void tile(int, int, CValuesIn values) override { benchmark::DoNotOptimize(values.data); }
};

// Keeps the c-values of a picture.
class PlaneSink final : public CValueSink {
 public:
  explicit PlaneSink(Plane<float>& plane) : plane_(plane) {}
  void tile(int x, int y, CValuesIn values) override {
    for (int i = 0; i < values.height; ++i) std::copy_n(values.row(i), values.width, plane_.row(y + i) + x);
  }

 private:
  Plane<float>& plane_;
};

template <typename T>
Plane<T> copy_of(PlaneView<T> view) {
  Plane<T> plane(view.width, view.height);
  for (int y = 0; y < view.height; ++y) std::copy_n(view.row(y), view.width, plane.row(y));
  return plane;
}

Workspace make_workspace(const Video& video) {
  return Workspace(video.plans, WorkspaceUse::kPictures);
}

// Decimates and filters to all scales in turn, and shows each to `each`.
template <typename Each>
void for_each_scale(const CambiPlan& plan, const CambiStages& stages, Workspace& workspace, Each each) {
  Image image = workspace.image.view(plan.width, plan.height);
  Mask mask = workspace.mask.view(plan.width, plan.height);
  for (int k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[static_cast<size_t>(k)];
    if (k > 0) {
      const Image smaller{image.data, scale.width, scale.height, image.stride};
      const Mask smaller_mask{mask.data, scale.width, scale.height, mask.stride};
      stages.decimate_image(image, smaller);
      stages.decimate_mask(mask, smaller_mask);
      image = smaller;
      mask = smaller_mask;
    }
    stages.mode_filter(image, workspace.scratch);
    each(image, mask);
  }
}

// The inputs of c-values at one scale.
struct Prepared {
  Plane<uint16_t> image;
  Plane<uint8_t> mask;
};

std::vector<Prepared> prepare(const Video& video, const CambiStages& stages, Workspace& workspace) {
  const CambiPlan& plan = video.plans.distorted;
  Mask mask = workspace.mask.view(plan.width, plan.height);
  stages.preprocess(video.luma(0), plan, workspace.image.view());
  stages.spatial_mask(workspace.image.view(), plan.mask_threshold, workspace.scratch, mask);
  if (video.all_masked) {
    for (int y = 0; y < mask.height; ++y) std::fill_n(mask.row(y), mask.width, uint8_t{1});
  }
  std::vector<Prepared> scales;
  for_each_scale(plan, stages, workspace, [&](Image image, Mask smaller_mask) {
    scales.push_back({copy_of(image), copy_of(smaller_mask)});
  });
  return scales;
}

void run_preprocess(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  for (auto _ : state) stages.preprocess(video.luma(0), video.plans.distorted, workspace.image.view());
  set_counters(state, video, video.sample_bytes() + 2);
}

void run_spatial_mask(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  const CambiPlan& plan = video.plans.distorted;
  stages.preprocess(video.luma(0), plan, workspace.image.view());
  for (auto _ : state) {
    stages.spatial_mask(workspace.image.view(), plan.mask_threshold, workspace.scratch,
                        workspace.mask.view());
  }
  set_counters(state, video, 2 + 1);
}

void run_prepare(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  for (auto _ : state) {
    stages.prepare(video.luma(0), video.plans.distorted, workspace.scratch, workspace.image.view(),
                   workspace.mask.view());
  }
  set_counters(state, video, video.sample_bytes() + 2 + 1);
}

// All five scales, from a fresh picture whose making is not timed.
void run_filter_and_decimate(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  const CambiPlan& plan = video.plans.distorted;
  for (auto _ : state) {
    state.PauseTiming();
    stages.preprocess(video.luma(0), plan, workspace.image.view());
    state.ResumeTiming();
    for_each_scale(plan, stages, workspace, [](Image, Mask) {});
  }
  set_counters(state, video, kAllScales * (2 + 2) + kAllScales * (1 + 0.25));
}

void run_c_values(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  const std::vector<Prepared> scales = prepare(video, stages, workspace);
  NoSink sink;
  for (auto _ : state) {
    for (const Prepared& scale : scales) {
      stages.c_values(scale.image.view(), scale.mask.view(), video.plans.distorted, workspace.scratch, sink);
    }
  }
  set_counters(state, video, kAllScales * (2 + 1));
}

void run_pooling(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  const CambiPlan& plan = video.plans.distorted;
  std::vector<Plane<float>> values;
  for (const Prepared& scale : prepare(video, stages, workspace)) {
    values.emplace_back(scale.image.width(), scale.image.height());
    PlaneSink sink(values.back());
    stages.c_values(scale.image.view(), scale.mask.view(), plan, workspace.scratch, sink);
  }
  for (auto _ : state) {
    for (size_t k = 0; k < kScales; ++k) {
      workspace.pooling.start(static_cast<int>(k), plan.scales[k].topk_count);
      do {
        stages.pool(values[k].view(), workspace.pooling);
      } while (!workspace.pooling.finish());
    }
  }
  set_counters(state, video, kAllScales * 4);
}

// The frames in turn, with what the pooling has learnt of how far apart they are.
void run_frame(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  HeatmapPlanes none;
  size_t frame = 0;
  const auto score = [&] {
    score_picture(video.luma(frame++), video.plans.distorted, stages, workspace, none);
  };
  for (int i = 0; i < 4; ++i) score();
  for (auto _ : state) score();
  set_counters(state, video, video.sample_bytes());
}

// One frame, with nothing remembered of a frame before.
void run_first_frame(State& state, const Video& video, const CambiStages& stages) {
  Workspace workspace = make_workspace(video);
  HeatmapPlanes none;
  for (auto _ : state) {
    workspace.pooling = Pooling(video.pixels());
    score_picture(video.luma(0), video.plans.distorted, stages, workspace, none);
  }
  set_counters(state, video, video.sample_bytes());
}

constexpr StageRun kRuns[] = {{"preprocess", run_preprocess},
                              {"spatial_mask", run_spatial_mask},
                              {"mode_filter", run_filter_and_decimate},
                              {"prepare", run_prepare},
                              {"c_values", run_c_values},
                              {"pooling", run_pooling},
                              {"frame", run_frame},
                              {"first_frame", run_first_frame}};

}  // namespace

void count_pixels(State& state, int64_t pixels) {
  state.counters["ns/px"] =
      Counter(static_cast<double>(pixels) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

std::span<const StageRun> stage_runs() {
  return kRuns;
}

const StageRun& c_values_run() {
  return kRuns[4];
}

void run_memory_copy(State& state) {
  constexpr size_t kBytes = size_t{64} << 20;
  std::vector<uint8_t> from(kBytes, 1), to(kBytes, 2);
  for (auto _ : state) {
    std::copy(from.begin(), from.end(), to.begin());
    benchmark::ClobberMemory();
  }
  state.counters["GB/s"] = Counter(2e-9 * kBytes, Counter::kIsIterationInvariantRate);
}

}  // namespace vq::cambi::bench
