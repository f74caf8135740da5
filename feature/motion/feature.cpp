#include "feature/motion/feature.h"

#include "feature/compared_videos.h"
#include "feature/motion/score.h"

namespace vq::motion {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

// No motion is better than another: it is up to the reference.
constexpr MetricInfo difference_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "motion",
          .explanation = "The mean difference between the reference's blurred luma and that of the frame before, in levels of "
                         "8-bit video.",
          .is_detail = true};
}
constexpr MetricInfo late_metric(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name, .title = title, .subject = "motion", .explanation = explanation, .is_late = true};
}
constexpr MetricInfo kMetrics[] = {
    difference_of("VMAF_integer_feature_motion_sad_score", "frame difference"),
    difference_of("integer_motion", "motion"),
    late_metric("integer_motion2", "motion2",
                "How much the reference changes around the frame: the smaller one of the changes into it and out of it, so that "
                "flashes and cuts do not count."),
    late_metric("integer_motion3", "motion3",
                "How much the reference changes around the frame, limited and smoothed as the options say.")};

bool needs_reference(const OptionSet&) {
  return true;
}

Neighbours neighbours(const OptionSet& set) {
  const MotionOptions options = to_options(set);
  return {.distorted = 0, .references = options.force_zero ? 0 : options.gap()};
}

BoundedLuma bounded_luma(const OptionSet& set) {
  return to_options(set).force_zero ? BoundedLuma::kNone : BoundedLuma::kReference;
}

// Frames that are not reported are the neighbours of those that are.
bool needs_every_frame(const OptionSet& set) {
  return !to_options(set).force_zero;
}

std::unique_ptr<FrameSequence> make_sequence(const OptionSet& set) {
  return make_motion_sequence(to_options(set));
}

void check(const OptionSet&, const InputFormats& formats) {
  compared_videos("motion", formats);
}

FeatureMemory memory(const OptionSet&, const InputFormats& formats, const Execution& execution) {
  return host_feature_memory(formats.reference.value(), execution);
}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const InputFormats& formats, Backend backend) {
  if (to_options(set).force_zero) return {};
  const int64_t bytes = 2 * frame_bytes(formats.reference.value(), 1);
  return {{is_on_device(backend) ? "blurred_difference" : std::string(kWholeStage), bytes}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const InputFormats& formats, const Execution& execution) {
  return make_host_feature(to_options(set), formats.reference.value(), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "motion",
      .summary = "how much the reference changes from frame to frame",
      .options = option_specs(),
      .backends = kBackends,
      .publication = {.citation = "Z. Li, A. Aaron, I. Katsavounidis, A. Moorthy, M. Manohara: Toward a practical perceptual "
                                  "video quality metric. Netflix Technology Blog, 2016",
                      .doi = {}},
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .neighbours = neighbours,
      .bounded_luma = bounded_luma,
      .needs_every_frame = needs_every_frame,
      .make_sequence = make_sequence,
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::motion
