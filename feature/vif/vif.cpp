#include "feature/vif/vif.h"

#include <array>
#include <numeric>

#include "feature/vif/host.h"

namespace vq::vif {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr MetricInfo score_of(std::string_view name, std::string_view title) {
  return {
      .name = name,
      .title = title,
      .subject = "distortion",
      .better = Better::kHigher,
      .usual_top = 1,
      .explanation =
          "How much of the reference's local information survives in the distorted video: 1 for identical "
          "pictures, more where contrast was enhanced."};
}
constexpr MetricInfo scale_of(std::string_view name, std::string_view title, std::string_view full_name) {
  return with_full_name(score_of(name, title), full_name);
}
// What the scores are quotients of says nothing by itself.
constexpr MetricInfo part_of(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .subject = "information", .decimals = 1, .is_detail = true};
}
// Of all scales together where that is reported, else of the finest.
constexpr MetricInfo called_vif(MetricInfo info) {
  info.alias = "vif";
  return info;
}
constexpr MetricInfo kMetrics[] = {
    called_vif(scale_of("integer_vif_scale0", "VIF of scale 0", "VMAF_integer_feature_vif_scale0_score")),
    scale_of("integer_vif_scale1", "VIF of scale 1", "VMAF_integer_feature_vif_scale1_score"),
    scale_of("integer_vif_scale2", "VIF of scale 2", "VMAF_integer_feature_vif_scale2_score"),
    scale_of("integer_vif_scale3", "VIF of scale 3", "VMAF_integer_feature_vif_scale3_score"),
    called_vif(score_of("integer_vif", "VIF")),
    part_of("integer_vif_num", "VIF's numerator"),
    part_of("integer_vif_den", "VIF's denominator"),
    part_of("integer_vif_num_scale0", "numerator of scale 0"),
    part_of("integer_vif_den_scale0", "denominator of scale 0"),
    part_of("integer_vif_num_scale1", "numerator of scale 1"),
    part_of("integer_vif_den_scale1", "denominator of scale 1"),
    part_of("integer_vif_num_scale2", "numerator of scale 2"),
    part_of("integer_vif_den_scale2", "denominator of scale 2"),
    part_of("integer_vif_num_scale3", "numerator of scale 3"),
    part_of("integer_vif_den_scale3", "denominator of scale 3")};

bool needs_reference(const OptionSet&) {
  return true;
}

VifPlan plan_of(const OptionSet& set, const VideoFormats& formats) {
  return make_plan(to_options(set), formats);
}

void check(const OptionSet& set, const VideoFormats& formats) {
  plan_of(set, formats);
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return host_memory(plan_of(set, formats), execution);
}

// On a device every sample of a scale becomes a word of 4 bytes.
std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const int64_t input = frame_bytes(formats.distorted, 1) + frame_bytes(formats.reference.value(), 1);
  if (!is_on_device(backend)) return {{std::string(kWholeStage), input}};
  const VifPlan plan = plan_of(set, formats);
  std::array<int64_t, kScales> bytes = {};
  for (size_t k = 0; k < kScales; ++k) bytes[k] = 4 * int64_t{plan.sizes[k].width} * plan.sizes[k].height;
  const int64_t scored = std::accumulate(bytes.begin() + plan.first_scale, bytes.end(), int64_t{0});
  return {{"pair", input + bytes[0]},
          {"decimate", bytes[0] + 2 * (bytes[1] + bytes[2]) + bytes[3]},
          {"statistics", scored}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return make_host_feature(plan_of(set, formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "vif",
      .summary =
          "visual information fidelity at four scales: what survives of the reference's local information",
      .options = option_specs(),
      .backends = kBackends,
      .publication =
          {.citation =
               "H. R. Sheikh, A. C. Bovik: Image information and visual quality. IEEE Transactions on Image "
               "Processing 15(2), 2006",
           .doi = "10.1109/TIP.2005.859378"},
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .bounded_luma = [](const OptionSet&) { return BoundedLuma::kBoth; },
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::vif
