#include "feature/ssimulacra2/ssimulacra2.h"

#include <numeric>

#include "feature/ssimulacra2/host.h"

namespace vq::ssimulacra2 {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

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
      .backends = kBackends,
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

}  // namespace vq::ssimulacra2
