#include "feature/butteraugli/butteraugli.h"

#include "feature/butteraugli/host.h"
#include "feature/butteraugli/plan.h"

namespace vq::butteraugli {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr MetricInfo score_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "distortion",
          .better = Better::kLower,
          .flawless = 0,
          .usual_top = 10,
          .explanation = explanation};
}
constexpr MetricInfo kMetrics[] = {
    score_of("butteraugli", "Butteraugli",
             "The largest visible difference from the reference anywhere in the picture: 0 for identical "
             "pictures, about 1 where it can just be noticed when both are flipped."),
    score_of("butteraugli_3norm", "Butteraugli's 3-norm",
             "The mean of three norms of the visible differences, as libjxl's program prints it: 0 for "
             "identical pictures."),
    score_of("butteraugli_norm3", "Butteraugli's plain 3-norm",
             "The cube root of the mean cube of the visible differences: 0 for identical pictures."),
    score_of("butteraugli_norm2", "Butteraugli's plain 2-norm",
             "The root of the mean square of the visible differences: 0 for identical pictures.")};

std::vector<HeatmapInfo> heatmaps(const OptionSet& set, const VideoFormats& formats) {
  const PlaneSize size = make_plan(set, formats).size;
  return {{.scale = 0, .width = size.width, .height = size.height, .score_weight = 1.0 / kHeatmapSteps}};
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return host_memory(make_plan(set, formats), formats, execution);
}

// On a device the light of both pictures is written, read once to make bands of it, and the bands to compare
// them: of X and Y four, of B two, and the activity. The half scale has a quarter of the samples.
std::vector<StageBytes> stage_bytes(const OptionSet&, const VideoFormats& formats, Backend backend) {
  const int64_t input =
      frame_bytes(formats.distorted, kMaxPlanes) + frame_bytes(formats.reference.value(), kMaxPlanes);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), input}};
  const int64_t plane = int64_t{formats.distorted.width} * formats.distorted.height * int64_t{sizeof(float)};
  constexpr int64_t kPictures = 2, kLightPlanes = 3, kBandPlanes = 11;
  const int64_t light = kPictures * kLightPlanes * plane, bands = kPictures * kBandPlanes * plane;
  return {{std::string(kLightStage), input + 2 * light + light / 4},
          {std::string(kBandsStage), light + light / 4 + bands + bands / 4},
          {std::string(kCompareStage), bands + bands / 4 + plane / 2}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return make_host_feature(make_plan(set, formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = kFeatureName,
      .summary = "visible differences of colours and detail from the reference, the largest and norms",
      .options = option_specs(),
      .backends = kBackends,
      .publication = {.citation =
                          "Alakuijala, Obryk, Stoliarchuk, Szabadka, Vandevenne, Wassenberg: Guetzli: "
                          "Perceptually Guided JPEG Encoder, arXiv, 2017",
                      .doi = "10.48550/arXiv.1703.04421"},
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = [](const OptionSet&) { return true; },
      .planes = [](const OptionSet&) { return kMaxPlanes; },
      .resolve = resolve,
      .reading =
          [](const OptionSet& set, const VideoFormat& video) {
            return light::in_words(light::reading_of(set, video), video);
          },
      .heatmap_option = kHeatmapOption,
      .heatmaps = heatmaps,
      .check = [](const OptionSet& set, const VideoFormats& formats) { make_plan(set, formats); },
      .shares_reference = true,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::butteraugli
