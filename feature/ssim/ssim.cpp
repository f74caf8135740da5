#include "feature/ssim/ssim.h"

#include "feature/ssim/plan.h"

namespace vq::ssim {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

// No score is called flawless: in decibels the names are the same.
constexpr MetricInfo score_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "distortion",
          .better = Better::kHigher,
          .usual_top = 1,
          .explanation = explanation,
          .decimals = 5};
}
constexpr MetricInfo part_of(std::string_view name, std::string_view title, std::string_view explanation) {
  MetricInfo info = score_of(name, title, explanation);
  info.is_detail = true;
  return info;
}
// In decibels. Of MS-SSIM there are pictures without a score.
constexpr MetricInfo unbounded(MetricInfo info) {
  info.is_unbounded = true;
  return info;
}
constexpr std::string_view kSsimAlias = "ssim", kMsSsimAlias = "ms_ssim";
constexpr MetricInfo called(std::string_view alias, MetricInfo info) {
  info.alias = alias;
  return info;
}
constexpr std::string_view kLuminance = "How alike local means are, a factor of the score.",
                           kContrast = "How alike local deviations are, a factor of the score.",
                           kStructure = "How strongly samples are correlated, a factor of the score.";
constexpr MetricInfo kSsimMetrics[] = {
    called(kSsimAlias,
           unbounded(
               score_of("float_ssim", "SSIM",
                        "How alike the structure of both pictures is, seen through a small window; identical "
                        "pictures have 1, or infinite decibels."))),
    part_of("float_ssim_l", "SSIM's luminance", kLuminance),
    part_of("float_ssim_c", "SSIM's contrast", kContrast),
    part_of("float_ssim_s", "SSIM's structure", kStructure)};
constexpr MetricInfo kMsSsimMetrics[] = {
    called(
        kMsSsimAlias,
        score_of(
            "float_ms_ssim", "MS-SSIM",
            "How alike the structure of both pictures is, in fine and in coarse detail; identical pictures "
            "have 1, or infinite decibels.")),
    part_of("float_ms_ssim_l", "MS-SSIM's luminance", kLuminance),
    part_of("float_ms_ssim_c", "MS-SSIM's contrast", kContrast),
    part_of("float_ms_ssim_s", "MS-SSIM's structure", kStructure)};

SsimPlan plan_of(Feature feature, const OptionSet& set, const VideoFormats& formats) {
  return make_plan(feature, to_options(feature, set), formats);
}

template <Feature feature>
FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return host_memory(plan_of(feature, set, formats), execution);
}

int64_t float_bytes(PlaneSize size) {
  return int64_t{size.width} * size.height * int64_t{sizeof(float)};
}

// Of the device's stages for several scales.
std::vector<StageBytes> scale_bytes(const SsimPlan& plan, int64_t whole) {
  int64_t halve = whole, compare = whole;
  for (size_t k = 1; k < plan.sizes.size(); ++k) {
    const int64_t pictures = 2 * float_bytes(plan.sizes[k]);
    const bool is_last = k + 1 == plan.sizes.size();
    halve += is_last ? pictures : 2 * pictures;  // written, and read again for the next
    compare += pictures;
  }
  return {{std::string(kHalveStage), halve}, {std::string(kCompareStage), compare}};
}

template <Feature feature>
std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const int64_t whole = frame_bytes(formats.distorted, 1) + frame_bytes(formats.reference.value(), 1);
  const SsimPlan plan = plan_of(feature, set, formats);
  if (is_on_device(backend) && feature == Feature::kMsSsim) return scale_bytes(plan, whole);
  if (!is_on_device(backend) || plan.factor == 1) return {{std::string(kWholeStage), whole}};
  const int64_t left = 2 * float_bytes(plan.sizes.front());
  return {{std::string(kShrinkStage), whole + left},
          {std::string(kReadbackStage), left},
          {std::string(kCompareStage), left}};
}

template <Feature feature>
FeatureInfo info_of(std::string_view summary, std::span<const MetricInfo> metrics,
                    const Publication& publication) {
  return {
      .name = name_of(feature),
      .alias = feature == Feature::kSsim ? kSsimAlias : kMsSsimAlias,
      .summary = summary,
      .options = option_specs(feature),
      .backends = kBackends,
      .publication = publication,
      .metrics = metrics,
      .metric_names = [](const OptionSet& set) { return metric_names(feature, to_options(feature, set)); },
      .needs_reference = [](const OptionSet&) { return true; },
      .check = [](const OptionSet& set, const VideoFormats& formats) { plan_of(feature, set, formats); },
      .memory = memory<feature>,
      .stage_bytes = stage_bytes<feature>,
      .make =
          [](const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
            return make_host_feature(plan_of(feature, set, formats), execution);
          },
  };
}

}  // namespace

const FeatureInfo& ssim_info() {
  static const FeatureInfo kInfo =
      info_of<Feature::kSsim>("structural similarity of the luma to the reference's", kSsimMetrics,
                              {.citation = "Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment: From "
                                           "Error Visibility to Structural Similarity, "
                                           "IEEE Transactions on Image Processing, 2004",
                               .doi = "10.1109/TIP.2003.819861"});
  return kInfo;
}

const FeatureInfo& ms_ssim_info() {
  static const FeatureInfo kInfo = info_of<Feature::kMsSsim>(
      "multi-scale structural similarity of the luma to the reference's", kMsSsimMetrics,
      {.citation =
           "Wang, Simoncelli, Bovik: Multiscale Structural Similarity for Image Quality Assessment, Asilomar "
           "Conference on Signals, Systems and Computers, 2003",
       .doi = "10.1109/ACSSC.2003.1292216"});
  return kInfo;
}

}  // namespace vq::ssim
