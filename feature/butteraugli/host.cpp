#include "feature/butteraugli/host.h"

#include <algorithm>

#include "core/workspace_pool.h"
#include "feature/butteraugli/difference_map.h"
#include "feature/light/rows.h"
#include "feature/simd_targets.h"

namespace vq::butteraugli {
namespace {

constexpr int kTileRows = static_cast<int>(kTile);

Stages stages_of(const Execution& execution) {
  const std::optional<SimdTarget> target = host_target(execution);
  return target ? simd::stages_for(target->id) : scalar::stages();
}

// The light of a picture, for both scales.
struct PictureLight {
  PictureLight(const light::Stages& stages, const light::Conversion& conversion)
      : whole(stages, conversion), half(stages, conversion) {}

  PictureSources start(const Frame& frame) {
    whole.start(frame);
    half.start(frame);
    return {source_of(whole), source_of(half)};
  }
  static LightSource source_of(light::LightRows& rows) {
    return [&rows](int y, const Rows3<float>& out) { rows.row(y, {out[0], out[1], out[2]}); };
  }

  light::LightRows whole, half;
};

struct Workspace {
  Workspace(const ButteraugliPlan& plan, const Stages& stages, const light::Stages& light)
      : reference(light, plan.reference),
        distorted(light, plan.distorted),
        map(plan.scales, plan.weights, stages, plan.intensity),
        tiles(static_cast<size_t>(tiles_across(plan.size.width)) *
              static_cast<size_t>(tiles_across(plan.size.height))) {}

  PictureLight reference, distorted;
  DifferenceMap map;
  std::vector<TileSums> tiles;
};

class ButteraugliHost final : public HostFeature {
 public:
  ButteraugliHost(const ButteraugliPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_(stages_of(execution)),
        light_(light::stages_for(execution)),
        draws_(execution.heatmaps),
        simd_(host_simd(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_, stages_, light_); }) {}

  FrameResult score(const FramePair& frames) override {
    FrameResult result;
    if (draws_) result.heatmaps.emplace_back(plan_.size.width, plan_.size.height);
    if (plan_.scales.empty()) {
      result.values = values_of({});
      return result;
    }
    const auto workspace = workspaces_.take();
    workspace->map.start(workspace->reference.start(frames.reference.value()),
                         workspace->distorted.start(frames.distorted));
    const auto across = static_cast<size_t>(tiles_across(plan_.size.width));
    const std::span<TileSums> tiles = workspace->tiles;
    for (int y = 0; y < plan_.size.height; y += kTileRows) {
      const int count = std::min(kTileRows, plan_.size.height - y);
      std::array<const float*, kTile> rows{};
      for (int k = 0; k < count; ++k) {
        const float* const row = workspace->map.row(y + k);
        rows[static_cast<size_t>(k)] = row;
        if (draws_) draw_heatmap_row(row, plan_.size.width, result.heatmaps.front().row(y + k));
      }
      sum_tiles(std::span(rows).first(static_cast<size_t>(count)), plan_.size.width,
                tiles.subspan(static_cast<size_t>(y / kTileRows) * across, across));
    }
    result.values = values_of(figures_of(tiles, plan_.size));
    return result;
  }

  std::string simd() const override { return simd_; }

 private:
  const ButteraugliPlan plan_;
  const Stages stages_;
  const light::Stages light_;
  const bool draws_;
  const std::string simd_;
  WorkspacePool<Workspace> workspaces_;
};

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const ButteraugliPlan& plan, const Execution& execution) {
  return std::make_unique<ButteraugliHost>(plan, execution);
}

int64_t heatmap_bytes(PlaneSize size, const Execution& execution) {
  const int64_t row =
      int64_t{size.width} * static_cast<int64_t>(sizeof(uint16_t)) + 2 * int64_t{kRowGuardBytes};
  return execution.heatmaps ? (size.height + 2) * row : 0;
}

FeatureMemory host_memory(const ButteraugliPlan& plan, const VideoFormats& formats,
                          const Execution& execution) {
  const int64_t tiles = int64_t{tiles_across(plan.size.width)} * tiles_across(plan.size.height);
  const int64_t workspace =
      DifferenceMap::bytes(plan.size) + tiles * static_cast<int64_t>(sizeof(TileSums)) +
      2 * (light::LightRows::bytes(formats.distorted) + light::LightRows::bytes(formats.reference.value()));
  return {.fixed = thread_count(execution) * workspace, .each_result = heatmap_bytes(plan.size, execution)};
}

}  // namespace vq::butteraugli
