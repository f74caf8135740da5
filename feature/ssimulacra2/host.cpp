#include "feature/ssimulacra2/host.h"

#include <algorithm>

#include "core/workspace_pool.h"
#include "feature/light/rows.h"
#include "feature/simd_targets.h"
#include "feature/ssimulacra2/comparison.h"

namespace vq::ssimulacra2 {

namespace {

Plane<uint16_t> heatmap(PlaneView<const float> local, double levels_per_unit) {
  Plane<uint16_t> map(local.width, local.height);
  for (int y = 0; y < local.height; ++y) {
    for (int x = 0; x < local.width; ++x) {
      const double level = static_cast<double>(local.row(y)[x]) * levels_per_unit;
      map.row(y)[x] = static_cast<uint16_t>(std::min(level, 65535.0));
    }
  }
  return map;
}

}  // namespace

FrameResult frame_result(const Plan& plan, std::span<const ScaleTotals> totals,
                         std::span<const PlaneView<const float>> local) {
  const double norms = weighted_norms(plan, totals), score = score_of(norms);
  FrameResult result{.values = {score}};
  const double levels_per_unit = norms > 0 ? (100 - score) / norms / kPointsPerLevel : 0;
  for (const PlaneView<const float>& each : local) result.heatmaps.push_back(heatmap(each, levels_per_unit));
  return result;
}

namespace {

// Rows of light of one picture, two in turn.
struct Picture {
  Picture(const light::Stages& stages, const light::Conversion& conversion)
      : rows(stages, conversion), light(conversion.size.width, 6) {}

  LightRow next(int y) {
    const int first = y % 2 * 3;
    const light::RgbRow<float> out = {light.row(first), light.row(first + 1), light.row(first + 2)};
    rows.row(y, out);
    return {out.r, out.g, out.b};
  }

  light::LightRows rows;
  Plane<float> light;
};

struct Workspace {
  Workspace(const Plan& plan, const Stages& stages, const light::Stages& light_stages, bool with_local)
      : reference(light_stages, plan.reference), distorted(light_stages, plan.distorted) {
    scales.resize(plan.scales.size());
    for (size_t k = scales.size(); k > 0; --k) {
      ScaleComparison* const next = k < scales.size() ? scales[k].get() : nullptr;
      scales[k - 1] = std::make_unique<ScaleComparison>(stages, plan.scales[k - 1], next, with_local);
    }
  }

  Picture reference, distorted;
  std::vector<std::unique_ptr<ScaleComparison>> scales;  // each passes rows to the next
};

class Host final : public HostFeature {
 public:
  Host(const Plan& plan, const Execution& execution)
      : plan_(plan),
        stages_{host_stage(execution, scalar::to_xyb, simd::to_xyb_for),
                host_stage(execution, scalar::halve_rows, simd::halve_rows_for),
                host_stage(execution, scalar::blur_row, simd::blur_row_for),
                host_stage(execution, scalar::compare_row, simd::compare_row_for)},
        light_stages_(light::stages_for(execution)),
        simd_(host_simd(execution)),
        with_heatmaps_(execution.heatmaps),
        workspaces_(
            [this] { return std::make_unique<Workspace>(plan_, stages_, light_stages_, with_heatmaps_); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    workspace->reference.rows.start(frames.reference.value());
    workspace->distorted.rows.start(frames.distorted);
    ScaleComparison& finest = *workspace->scales.front();
    finest.start();
    for (int y = 0; y < plan_.scales.front().size.height; ++y)
      finest.push({workspace->reference.next(y), workspace->distorted.next(y)});
    finest.finish();
    std::vector<ScaleTotals> totals;
    std::vector<PlaneView<const float>> local;
    for (const auto& scale : workspace->scales) {
      totals.push_back(scale->totals());
      if (with_heatmaps_) local.push_back(scale->local());
    }
    return frame_result(plan_, totals, local);
  }

  std::string simd() const override { return simd_; }

 private:
  const Plan plan_;
  const Stages stages_;
  const light::Stages light_stages_;
  const std::string simd_;
  const bool with_heatmaps_;
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution) {
  return std::make_unique<Host>(plan, execution);
}

FeatureMemory host_memory(const Plan& plan, const VideoFormats& formats, const Execution& execution) {
  int64_t bytes = light::LightRows::bytes(formats.distorted) + light::LightRows::bytes(*formats.reference) +
                  12 * (int64_t{formats.distorted.width} + 2 * kMargin) * int64_t{sizeof(float)};
  int64_t result = 0;
  for (const ScalePlan& scale : plan.scales) {
    bytes += ScaleComparison::bytes(scale.size, execution.heatmaps);
    if (execution.heatmaps)
      result += (int64_t{scale.size.width} + 2 * kMargin) * scale.size.height * int64_t{sizeof(uint16_t)};
  }
  return {.fixed = thread_count(execution) * bytes, .each_result = result};
}

}  // namespace vq::ssimulacra2
