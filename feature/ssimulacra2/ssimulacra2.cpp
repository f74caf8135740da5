#include "feature/ssimulacra2/ssimulacra2.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/worker_pool.h"
#include "feature/light/conversion.h"
#include "feature/simd_targets.h"
#include "feature/ssimulacra2/comparison.h"

namespace vq::ssimulacra2 {
namespace {

// As its author reads scores.
constexpr Grade kGrades[] = {{100, "visually lossless"},
                             {90, "high quality"},
                             {70, "medium quality"},
                             {50, "low quality"},
                             {30, "very low quality"}};

constexpr MetricInfo kMetrics[] = {
    {.name = kFeatureName,
     .title = "SSIMULACRA 2",
     .subject = "distortion",
     .better = Better::kHigher,
     .flawless = 100,
     .noteworthy = 50,
     .noteworthy_meaning = "medium quality or less",
     .grades = kGrades,
     .usual_top = 100,
     .explanation =
         "How close the picture is to the reference for the eye: 100 for identical pictures, about 90 where "
         "no "
         "difference is seen side by side, 70 for high, 50 for medium and 30 for low quality; there are "
         "negative scores. Above 70 it is up to two points higher than what the reference implementation "
         "prints, whose rounding errors lower its scores."}};

std::vector<std::string> metric_names(const OptionSet& set) {
  return {set.metric_name(kFeatureName)};
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return host_memory(make_plan(set, formats), formats, execution);
}

Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const VideoFormat* const reference = formats.reference ? &*formats.reference : nullptr;
  Resolution resolution{.notes = light::notes_on(set, formats.distorted, reference), .warnings = {}};
  const light::Curve curve = light::reading_of(set, formats.distorted).curve;
  if (curve == light::Curve::kPq || curve == light::Curve::kHlg) {
    resolution.notes.push_back(std::string(kFeatureName) + " is made for standard range: its scores of " +
                               std::string(light::to_string(curve)) + " have no calibrated meaning");
  }
  return resolution;
}

std::vector<HeatmapInfo> heatmaps(const OptionSet& set, const VideoFormats& formats) {
  std::vector<HeatmapInfo> maps;
  for (const ScalePlan& scale : make_plan(set, formats).scales) {
    maps.push_back({.scale = static_cast<int>(maps.size()),
                    .width = scale.size.width,
                    .height = scale.size.height,
                    .score_weight = kPointsPerLevel});
  }
  return maps;
}

// On a device the light of both pictures is written and read once at every scale, three floats for each
// sample.
std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const int64_t input =
      frame_bytes(formats.distorted, kMaxPlanes) + frame_bytes(formats.reference.value(), kMaxPlanes);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), input}};
  constexpr int64_t kOfSample = 2 * 3 * sizeof(float);
  std::vector<int64_t> light;
  for (const ScalePlan& scale : make_plan(set, formats).scales)
    light.push_back(kOfSample * scale.size.width * scale.size.height);
  const int64_t all = std::accumulate(light.begin(), light.end(), int64_t{0});
  return {{std::string(kLightStage), input + light.front()},
          {std::string(kHalveStage), 2 * all - light.front() - light.back()},
          {std::string(kCompareStage), all}};
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = kFeatureName,
      .summary = "SSIMULACRA 2: perceptual similarity to the reference at six scales, in XYB",
      .options = option_specs(),
      .publication = {.citation = "Sneyers: SSIMULACRA 2, Cloudinary, version 2.1, 2023"},
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = [](const OptionSet&) { return true; },
      .planes = [](const OptionSet&) { return kMaxPlanes; },
      .resolve = resolve,
      .reading =
          [](const OptionSet& set, const VideoFormat& video) {
            return light::in_words(light::reading_of(set, video), video);
          },
      .heatmap_option = "heatmaps_path",
      .heatmaps = heatmaps,
      .check = [](const OptionSet& set, const VideoFormats& formats) { make_plan(set, formats); },
      .shares_reference = true,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make =
          [](const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
            return make_host_feature(make_plan(set, formats), execution);
          },
  };
  return kInfo;
}

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

// The reference is this many rows ahead of the pictures that are compared with it in turn, so that each finds
// its own rows still in the cache for a while.
constexpr int kStripRows = 64;

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

// A picture at all scales, the finest first.
template <typename Scale>
struct ScaledPicture {
  ScaledPicture(const light::Stages& stages, const light::Conversion& conversion)
      : picture(stages, conversion) {}

  void start(const Frame& frame) {
    picture.rows.start(frame);
    for (const auto& scale : scales) scale->start();
  }
  void push(int first, int end) {
    for (int y = first; y < end; ++y) pass(picture.next(y), 0);
  }
  void finish() {
    for (size_t k = 0; k < scales.size(); ++k) pass(scales[k]->finish(), k + 1);
  }
  void pass(std::optional<LightRow> row, size_t scale) {
    for (; row; ++scale) row = scales[scale]->push(*row);
  }

  Picture picture;
  std::vector<std::unique_ptr<Scale>> scales;
};
using Reference = ScaledPicture<PictureScale>;
using Distorted = ScaledPicture<ScaleComparison>;

// What the reference keeps at a scale: what is compared looks kReach rows back and as many ahead, and may be
// that many rows behind.
int rows_kept(size_t scale, int behind) {
  return kWindow + (behind >> scale);
}

struct Workspace {
  Workspace(const Plan& plan, const light::Stages& light_stages, const Stages& stages, int strip)
      : reference(light_stages, plan.reference) {
    for (size_t k = 0; k < plan.scales.size(); ++k) {
      reference.scales.push_back(std::make_unique<PictureScale>(
          stages, plan.scales[k], k + 1 == plan.scales.size(), rows_kept(k, strip)));
    }
  }

  Reference reference;
  std::vector<std::unique_ptr<Distorted>> distorted;  // as many as were ever compared at once
};

class Host final : public HostFeature {
 public:
  Host(const Plan& plan, const Execution& execution)
      : plan_(plan),
        stages_{host_stage(execution, scalar::to_xyb, simd::to_xyb_for),
                host_stage(execution, scalar::halve_rows, simd::halve_rows_for),
                host_stage(execution, scalar::blur_row, simd::blur_row_for),
                host_stage(execution, scalar::blur_mixed, simd::blur_mixed_for),
                host_stage(execution, scalar::compare_row, simd::compare_row_for)},
        light_stages_(light::stages_for(execution)),
        simd_(host_simd(execution)),
        with_heatmaps_(execution.heatmaps),
        strip_(execution.group != nullptr ? kStripRows : 1),
        workspaces_([this] { return std::make_unique<Workspace>(plan_, light_stages_, stages_, strip_); }) {}

  FrameResult score(const FramePair& frames) override {
    const FramePair* const one = &frames;
    return std::move(score_together({&one, 1}).front());
  }

  std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs) override {
    const auto workspace = workspaces_.take();
    Reference& reference = workspace->reference;
    while (workspace->distorted.size() < pairs.size())
      workspace->distorted.push_back(make_distorted(reference));
    const std::span distorted = std::span(workspace->distorted).first(pairs.size());
    reference.start(pairs.front()->reference.value());
    for (size_t i = 0; i < pairs.size(); ++i) distorted[i]->start(pairs[i]->distorted);
    const int height = plan_.scales.front().size.height;
    for (int first = 0; first < height; first += strip_) {
      const int end = std::min(first + strip_, height);
      reference.push(first, end);
      for (const auto& picture : distorted) picture->push(first, end);
    }
    reference.finish();
    std::vector<FrameResult> results;
    for (const auto& picture : distorted) {
      picture->finish();
      results.push_back(result_of(*picture));
    }
    return results;
  }

  std::string simd() const override { return simd_; }

 private:
  std::unique_ptr<Distorted> make_distorted(const Reference& reference) const {
    auto picture = std::make_unique<Distorted>(light_stages_, plan_.distorted);
    const size_t count = plan_.scales.size();
    for (size_t k = 0; k < count; ++k) {
      picture->scales.push_back(std::make_unique<ScaleComparison>(
          stages_, plan_.scales[k], *reference.scales[k], k + 1 == count, with_heatmaps_));
    }
    return picture;
  }

  FrameResult result_of(const Distorted& picture) const {
    std::vector<ScaleTotals> totals;
    std::vector<PlaneView<const float>> local;
    for (const auto& scale : picture.scales) {
      totals.push_back(scale->totals());
      if (with_heatmaps_) local.push_back(scale->local());
    }
    return frame_result(plan_, totals, local);
  }

  const Plan plan_;
  const Stages stages_;
  const light::Stages light_stages_;
  const std::string simd_;
  const bool with_heatmaps_;
  const int strip_;
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
  const int strip = execution.group != nullptr ? kStripRows : 1;
  for (size_t k = 0; k < plan.scales.size(); ++k) {
    const ScalePlan& scale = plan.scales[k];
    bytes += PictureScale::bytes(scale.size, rows_kept(k, strip)) +
             ScaleComparison::bytes(scale.size, execution.heatmaps);
    if (execution.heatmaps)
      result += (int64_t{scale.size.width} + 2 * kMargin) * scale.size.height * int64_t{sizeof(uint16_t)};
  }
  return {.fixed = thread_count(execution) * bytes, .each_result = result};
}

}  // namespace vq::ssimulacra2
