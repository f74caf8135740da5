#include "feature/ciede/feature.h"


namespace vq::ciede {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu};

constexpr MetricInfo kMetrics[] = {
    {.name = kMetricName,
     .title = "CIEDE2000",
     .unit = "dB",
     .subject = "distortion",
     .better = Better::kHigher,
     .usual_top = 60,
     .explanation = "How little the colours differ from the reference's for the eye, in decibels: 6 dB less is twice the mean "
                    "difference, and a mean difference of 1, which is about the smallest that is seen, has 45 dB.",
     .is_unbounded = true}};

std::vector<StageBytes> stage_bytes(const OptionSet&, const InputFormats& formats, Backend) {
  const int64_t bytes = frame_bytes(formats.distorted, kMaxPlanes) + frame_bytes(formats.reference.value(), kMaxPlanes);
  return {{std::string(kWholeStage), bytes}};
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = kFeatureName,
      .summary = "mean CIEDE2000 difference of colours from the reference, in dB",
      .backends = kBackends,
      .publication = {.citation = "Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula: Implementation Notes, "
                                  "Supplementary Test Data, and Mathematical Observations, Color Research & Application, 2005",
                      .doi = "10.1002/col.20070"},
      .metrics = kMetrics,
      .metric_names = [](const OptionSet&) { return std::vector<std::string>{std::string(kMetricName)}; },
      .needs_reference = [](const OptionSet&) { return true; },
      .planes = [](const OptionSet&) { return kMaxPlanes; },
      .check = [](const OptionSet&, const InputFormats& formats) { make_plan(formats); },
      .memory = [](const OptionSet&, const InputFormats& formats,
                   const Execution& execution) { return host_memory(make_plan(formats), execution); },
      .stage_bytes = stage_bytes,
      .make = [](const OptionSet&, const InputFormats& formats,
                 const Execution& execution) { return make_host_feature(make_plan(formats), execution); },
  };
  return kInfo;
}

}  // namespace vq::ciede
