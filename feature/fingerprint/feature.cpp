#include "feature/fingerprint/feature.h"

#include "feature/fingerprint/options.h"
#include "feature/fingerprint/plan.h"

namespace vq::fingerprint {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr MetricInfo repeats_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "repeated frames",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .decimals = 0};
}
constexpr MetricInfo with_note(MetricInfo info, double from, std::string_view meaning) {
  info.noteworthy = from;
  info.noteworthy_meaning = meaning;
  return info;
}
// How long a run of repeats is worth telling depends on the frame rate and the material, so no length is.
constexpr MetricInfo kMetrics[] = {
    with_note(repeats_of("fingerprint_repeated", "repeated frame",
                         "1 where the samples are those of the frame before, else 0."),
              1, "visible as stutter"),
    repeats_of("fingerprint_repeat_run", "repeats in a row",
               "How many frames up to this one repeat the one before.")};

bool needs_reference(const OptionSet&) {
  return false;
}

int planes(const OptionSet& set) {
  return used_planes(set, kMaxPlanes);
}

bool needs_every_frame(const OptionSet&) {
  return true;
}

std::unique_ptr<FrameSequence> make_sequence(const OptionSet&) {
  return make_repeat_count();
}

void check(const OptionSet&, const InputFormats&) {}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const InputFormats& formats, Backend backend) {
  const int64_t bytes = frame_bytes(formats.distorted, make_plan(set, formats.distorted).planes);
  return {{is_on_device(backend) ? "plane_sums" : std::string(kWholeStage), bytes}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const InputFormats& formats,
                                  const Execution& execution) {
  return make_host_feature(make_plan(set, formats.distorted), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "fingerprint",
      .summary = "128-bit hash of each frame's samples, and which frames repeat the one before",
      .options = option_specs(),
      .backends = kBackends,
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .planes = planes,
      .needs_every_frame = needs_every_frame,
      .text_names = text_names,
      .make_sequence = make_sequence,
      .check = check,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::fingerprint
