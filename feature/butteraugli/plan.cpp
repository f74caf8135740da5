#include "feature/butteraugli/plan.h"

#include <algorithm>
#include <array>

#include "feature/compared_videos.h"

namespace vq::butteraugli {
namespace {

constexpr std::array<std::string_view, 4> kMetricNames = {"butteraugli", "butteraugli_3norm",
                                                          "butteraugli_norm3", "butteraugli_norm2"};
// libjxl's for pictures that are not HDR.
constexpr double kUsualIntensity = 80;
// Light that is 1 in PQ and in HLG, on the display that its system gamma is for.
constexpr std::string_view kPqIntensity = "100", kHlgIntensity = "1000";

}  // namespace

std::span<const OptionSpec> option_specs() {
  static const auto kSpecs = light::with_option_specs(std::array{
      OptionSpec{.name = kIntensityOption,
                 .kind = OptionKind::kReal,
                 .default_number = kUsualIntensity,
                 .min = 1,
                 .max = 10000,
                 .help = "brightness of white in cd/m2; left out, it is 100 for PQ and 1000 for HLG"},
      OptionSpec{.name = kAsymmetryOption,
                 .kind = OptionKind::kReal,
                 .default_number = 1,
                 .min = 0.1,
                 .max = 10,
                 .help = "how much more artefacts count than lost detail; 1: the same"},
      OptionSpec{.name = kHeatmapOption,
                 .kind = OptionKind::kPath,
                 .in_metric_name = false,
                 .help = "folder for the maps of differences; none: no maps"}});
  return kSpecs;
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names;
  for (const std::string_view name : kMetricNames) names.push_back(set.metric_name(name));
  return names;
}

Resolution resolve(OptionSet& options, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  if (!formats.reference) return resolution;
  resolution.notes = light::notes_on(options, *formats.reference);
  for (std::string& note : light::notes_on(options, formats.distorted)) {
    if (std::find(resolution.notes.begin(), resolution.notes.end(), note) == resolution.notes.end())
      resolution.notes.push_back(std::move(note));
  }
  if (options.is_set(kIntensityOption)) return resolution;
  const light::Curve curve = light::reading_of(options, *formats.reference).curve;
  if (curve != light::Curve::kPq && curve != light::Curve::kHlg) return resolution;
  const std::string_view intensity = curve == light::Curve::kPq ? kPqIntensity : kHlgIntensity;
  options.resolve(kIntensityOption, intensity);
  resolution.notes.push_back(std::string(kIntensityOption) + "=" + std::string(intensity) + " (" +
                             std::string(light::to_string(curve)) + ")");
  return resolution;
}

ButteraugliPlan make_plan(const OptionSet& set, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  const auto conversion_of = [&](const VideoFormat& video) {
    if (video.chroma == Chroma::kOther) require_chroma(kFeatureName, formats);
    return light::make_conversion(light::reading_of(set, video), video);
  };
  return {.size = videos.size,
          .intensity = static_cast<float>(set.get_real(kIntensityOption)),
          .weights = make_weights(set.get_real(kAsymmetryOption)),
          .scales = make_scales(videos.size),
          .reference = conversion_of(*formats.reference),
          .distorted = conversion_of(formats.distorted)};
}

void draw_heatmap_row(const float* map, int width, uint16_t* out) {
  for (int x = 0; x < width; ++x) out[x] = static_cast<uint16_t>(std::min(kHeatmapSteps * map[x], 65535.0F));
}

FrameValues values_of(const Figures& figures) {
  return {figures.maximum, figures.three_norms, figures.norm3, figures.norm2};
}

}  // namespace vq::butteraugli
