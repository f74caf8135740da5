#include "feature/cambi/host.h"

#include <algorithm>

#include "core/error.h"
#include "core/worker_pool.h"

namespace vq::cambi {
namespace {

struct Extent {
  int width = 0, height = 0, num_contrasts = 1;
};

Extent largest(const CambiPlans& plans) {
  const CambiPlan& a = plans.distorted;
  const CambiPlan& b = plans.source ? *plans.source : a;
  return {std::max(a.width, b.width), std::max(a.height, b.height),
          std::max(a.num_contrasts, b.num_contrasts)};
}

template <typename T>
[[noreturn]] void throw_first_excess(PlaneView<const T> luma, int depth) {
  const unsigned limit = (1U << depth) - 1;
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) {
      if (luma.row(y)[x] <= limit) continue;
      throw Error(ErrorKind::kMismatch, "luma sample " + std::to_string(luma.row(y)[x]) +
                                            " at x=" + std::to_string(x) + ", y=" + std::to_string(y) +
                                            " exceeds " + std::to_string(limit) + ", the maximum of " +
                                            std::to_string(depth) + "-bit video.");
    }
  }
  throw Error(ErrorKind::kInternal, "preprocessing refused a picture without a sample above its maximum");
}

// Pools the tiles of a scale, and draws its heatmap if there is one.
class ScaleSink final : public CValueSink {
 public:
  ScaleSink(const Stages& stages, Workspace& workspace)
      : stages_(stages), pooling_(workspace.pooling), clock_(workspace.clock.get()) {}

  void draw(double factor, PlaneView<uint16_t> heatmap) {
    factor_ = factor;
    heatmap_ = heatmap;
  }

  void tile(int x, int y, CValuesIn values) override {
    const StageTimer pooling(clock_, kPooling);
    stages_.pool(values, pooling_);
    if (heatmap_.data == nullptr) return;
    const StageTimer heatmap(clock_, kHeatmap);
    stages_.heatmap(values, factor_, {heatmap_.row(y) + x, values.width, values.height, heatmap_.stride});
  }

 private:
  const Stages& stages_;
  Pooling& pooling_;
  StageClock* const clock_;
  double factor_ = 0;
  PlaneView<uint16_t> heatmap_;
};

// Pools the middle columns of a band.
class BandSink final : public CValueSink {
 public:
  BandSink(const Stages& stages, Pooling& pooling, Strip middle)
      : stages_(stages), pooling_(pooling), middle_(middle) {}

  void tile(int x, int, CValuesIn values) override {
    const int first = std::max(middle_.x - x, 0), end = std::min(middle_.x + middle_.width - x, values.width);
    if (first < end) stages_.pool({values.data + first, end - first, values.height, values.stride}, pooling_);
  }

 private:
  const Stages& stages_;
  Pooling& pooling_;
  const Strip middle_;
};

// Shows the pooling a few upright bands of the picture, with what their windows reach, if that is much less
// work than the whole picture. Upright, since skies and floors make pictures differ more from top to bottom.
void sample_bands(ImageIn image, MaskIn mask, const CambiPlan& plan, const Stages& stages,
                  Workspace& workspace) {
  constexpr int kBands = 3, kBandColumns = 64, kWorthwhile = 2;
  const int columns = kBandColumns + 2 * plan.half_window;
  if (kWorthwhile * kBands * columns > image.width) return;
  workspace.pooling.begin_sample(static_cast<double>(kBands * kBandColumns) / image.width);
  BandSink sink(stages, workspace.pooling, {plan.half_window, kBandColumns});
  for (int band = 0; band < kBands; ++band) {
    const int x = (2 * band + 1) * image.width / (2 * kBands) - columns / 2;
    stages.c_values({image.data + x, columns, image.height, image.stride},
                    {mask.data + x, columns, mask.height, mask.stride}, plan, workspace.scratch, sink);
  }
  workspace.pooling.end_sample();
}

bool finish_pass(Workspace& workspace) {
  const StageTimer timer(workspace.clock.get(), kPooling);
  return workspace.pooling.finish();
}

}  // namespace

Workspace::Workspace(const CambiPlans& plans, WorkspaceUse use)
    : scratch(largest(plans).width, largest(plans).num_contrasts),
      pooling(static_cast<int64_t>(largest(plans).width) * largest(plans).height) {
  if (use == WorkspaceUse::kScalesOnly) return;
  image = Plane<uint16_t>(largest(plans).width, largest(plans).height);
  mask = Plane<uint8_t>(image.width(), image.height());
}

int64_t Workspace::bytes(const CambiPlans& plans, WorkspaceUse use) {
  return counted_bytes([&] { return std::make_unique<Workspace>(plans, use); });
}

HeatmapPlanes make_heatmap_planes(const CambiPlan& plan) {
  HeatmapPlanes planes;
  for (const ScalePlan& scale : plan.scales) planes.emplace_back(scale.width, scale.height);
  return planes;
}

void throw_excess(const SampleView& luma, int depth) {
  if (luma.is_u8()) throw_first_excess(luma.u8, depth);
  throw_first_excess(luma.u16, depth);
}

ExactSum score_scale(ImageIn image, MaskIn mask, int k, const CambiPlan& plan, const Stages& stages,
                     Workspace& workspace, HeatmapPlanes& heatmaps) {
  const StageTimer timer(workspace.clock.get(), kCValues);
  ScaleSink sink(stages, workspace);
  if (!heatmaps.empty()) sink.draw(plan.heatmap_factor, heatmaps[static_cast<size_t>(k)].view());
  workspace.pooling.start(plan.is_source ? kScales + k : k, plan.scales[static_cast<size_t>(k)].topk_count);
  do {
    if (workspace.pooling.wants_sample()) sample_bands(image, mask, plan, stages, workspace);
    stages.c_values(image, mask, plan, workspace.scratch, sink);
  } while (!finish_pass(workspace));
  return workspace.pooling.sum();
}

ScaleSums score_picture(const SampleView& luma, const CambiPlan& plan, const Stages& stages,
                        Workspace& workspace, HeatmapPlanes& heatmaps) {
  Image image = workspace.image.view(plan.width, plan.height);
  Mask mask = workspace.mask.view(plan.width, plan.height);
  StageClock* const clock = workspace.clock.get();
  {
    const StageTimer timer(clock, kPrepare);
    if (!stages.prepare(luma, plan, workspace.scratch, image, mask)) throw_excess(luma, plan.input_depth);
  }
  ScaleSums sums{};
  for (int k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[static_cast<size_t>(k)];
    if (k > 0 || plan.halve_first) {
      const Image smaller{image.data, scale.width, scale.height, image.stride};
      const Mask smaller_mask{mask.data, scale.width, scale.height, mask.stride};
      {
        const StageTimer timer(clock, kDecimate);
        stages.decimate_image(image, smaller);
        stages.decimate_mask(mask, smaller_mask);
      }
      image = smaller;
      mask = smaller_mask;
      const StageTimer timer(clock, kModeFilter);
      stages.mode_filter(image, workspace.scratch);
    }
    sums[static_cast<size_t>(k)] = score_scale(image, mask, k, plan, stages, workspace, heatmaps);
  }
  return sums;
}

WorkspacePool::WorkspacePool(const CambiRun& run, WorkspaceUse use) {
  for (int i = 0; i < run.execution.pool->size(); ++i) {
    free_.push_back(std::make_unique<Workspace>(run.plans, use));
    if (run.execution.time_stages) free_.back()->clock = std::make_unique<StageClock>();
  }
}

std::unique_ptr<Workspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  HWY_DASSERT(!free_.empty());
  std::unique_ptr<Workspace> workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  if (workspace->clock) {
    for (const StageTotal& total : workspace->clock->take()) add_stage_time(times_, total.stage, total.ms);
  }
  free_.push_back(std::move(workspace));
}

std::vector<StageTotal> WorkspacePool::stage_times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

}  // namespace vq::cambi
