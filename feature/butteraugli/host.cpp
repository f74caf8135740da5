#include "feature/butteraugli/host.h"

#include <algorithm>
#include <utility>

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

// The reference is this many rows ahead of the pictures that are compared with it in turn, so that each finds
// its own rows still in the cache for a while.
constexpr int kStripRows = 2 * kTileRows;

// A picture that is compared, and what is found of it.
struct Compared {
  Compared(const ButteraugliPlan& plan, const MapSetting& setting, const light::Stages& stages,
           ScaledBands& reference)
      : light(stages, plan.distorted),
        map(setting, reference),
        tiles(static_cast<size_t>(tiles_across(plan.size.width)) *
              static_cast<size_t>(tiles_across(plan.size.height))) {}

  PictureLight light;
  DifferenceMap map;
  std::vector<TileSums> tiles;
};

struct Workspace {
  Workspace(const ButteraugliPlan& plan, const MapSetting& setting, const light::Stages& stages, int behind)
      : light(stages, plan.reference), reference(plan.scales, setting.stages, plan.intensity, behind) {}

  PictureLight light;
  ScaledBands reference;
  std::vector<std::unique_ptr<Compared>> pictures;  // as many as were ever compared at once
};

class ButteraugliHost final : public HostFeature {
 public:
  ButteraugliHost(const ButteraugliPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_(stages_of(execution)),
        light_(light::stages_for(execution)),
        draws_(execution.heatmaps),
        simd_(host_simd(execution)),
        behind_(rows_behind(execution)),
        workspaces_([this] { return std::make_unique<Workspace>(plan_, setting(), light_, behind_); }) {}

  FrameResult score(const FramePair& frames) override {
    const FramePair* const one = &frames;
    return std::move(score_together({&one, 1}).front());
  }

  std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs) override {
    std::vector<FrameResult> results(pairs.size());
    for (FrameResult& result : results) {
      result.values = values_of({});
      if (draws_) result.heatmaps.emplace_back(plan_.size.width, plan_.size.height);
    }
    if (plan_.scales.empty()) return results;
    const auto workspace = workspaces_.take();
    std::vector<std::unique_ptr<Compared>>& pictures = workspace->pictures;
    while (pictures.size() < pairs.size())
      pictures.push_back(std::make_unique<Compared>(plan_, setting(), light_, workspace->reference));
    workspace->reference.start(workspace->light.start(pairs.front()->reference.value()));
    for (size_t i = 0; i < pairs.size(); ++i)
      pictures[i]->map.start(pictures[i]->light.start(pairs[i]->distorted));
    for (int first = 0; first < plan_.size.height; first += kStripRows) {
      const int end = std::min(first + kStripRows, plan_.size.height);
      for (size_t i = 0; i < pairs.size(); ++i) {
        for (int y = first; y < end; y += kTileRows) compare_tiles(y, *pictures[i], results[i]);
      }
    }
    for (size_t i = 0; i < pairs.size(); ++i)
      results[i].values = values_of(figures_of(pictures[i]->tiles, plan_.size));
    return results;
  }

  std::string simd() const override { return simd_; }

  // How many rows further those below may have read the reference.
  static int rows_behind(const Execution& execution) { return execution.group != nullptr ? kStripRows : 0; }

 private:
  MapSetting setting() const { return {plan_.scales, plan_.weights, stages_, plan_.intensity}; }

  // The tiles that begin in row y.
  void compare_tiles(int y, Compared& picture, FrameResult& result) const {
    const auto across = static_cast<size_t>(tiles_across(plan_.size.width));
    const int count = std::min(kTileRows, plan_.size.height - y);
    std::array<const float*, kTile> rows{};
    for (int k = 0; k < count; ++k) {
      const float* const row = picture.map.row(y + k);
      rows[static_cast<size_t>(k)] = row;
      if (draws_) draw_heatmap_row(row, plan_.size.width, result.heatmaps.front().row(y + k));
    }
    sum_tiles(std::span(rows).first(static_cast<size_t>(count)), plan_.size.width,
              std::span(picture.tiles).subspan(static_cast<size_t>(y / kTileRows) * across, across));
  }

  const ButteraugliPlan plan_;
  const Stages stages_;
  const light::Stages light_;
  const bool draws_;
  const std::string simd_;
  const int behind_;
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
      ScaledBands::bytes(plan.size, ButteraugliHost::rows_behind(execution)) +
      DifferenceMap::bytes(plan.size) + tiles * static_cast<int64_t>(sizeof(TileSums)) +
      2 * (light::LightRows::bytes(formats.distorted) + light::LightRows::bytes(formats.reference.value()));
  return {.fixed = thread_count(execution) * workspace, .each_result = heatmap_bytes(plan.size, execution)};
}

}  // namespace vq::butteraugli
