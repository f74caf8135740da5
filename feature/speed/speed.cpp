#include "feature/speed/speed.h"

#include <algorithm>

#include "feature/speed/planes.h"

namespace vq::speed {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr Publication kPublication = {.citation =
                                          "C. G. Bampis, P. Gupta, R. Soundararajan, A. C. Bovik: SpEED-QA: "
                                          "Spatial Efficient Entropic Differencing for "
                                          "Image and Video Quality. IEEE Signal Processing Letters 24, 2017",
                                      .doi = "10.1109/LSP.2017.2726542"};

constexpr MetricInfo speed_of(std::string_view name, std::string_view title, std::string_view subject,
                              std::string_view explanation, bool is_detail = false) {
  return {.name = name,
          .title = title,
          .subject = subject,
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .is_detail = is_detail};
}

constexpr std::string_view kOfChroma =
    "How much the detail of colour, as a model of natural pictures sees it, differs from the "
    "reference's. 0 is no difference, and also what pictures without colour have.";
constexpr std::string_view kOfTime =
    "How much the change from frame to frame, as a model of natural pictures sees it, differs "
    "from the reference's. 0 is no difference, and also what still pictures have.";

constexpr MetricInfo kMetrics[] = {
    with_full_name(speed_of("speed_chroma_u", "SpEED of Cb", "colour distortion", kOfChroma, true),
                   "Speed_chroma_feature_speed_chroma_u_score"),
    with_full_name(speed_of("speed_chroma_v", "SpEED of Cr", "colour distortion", kOfChroma, true),
                   "Speed_chroma_feature_speed_chroma_v_score"),
    with_full_name(speed_of("speed_chroma_uv", "SpEED of chroma", "colour distortion", kOfChroma),
                   "Speed_chroma_feature_speed_chroma_uv_score")};
constexpr MetricInfo kTemporalMetrics[] = {
    with_full_name(speed_of("speed_temporal", "temporal SpEED", "distortion of motion", kOfTime),
                   "Speed_temporal_feature_speed_temporal_score")};

bool needs_reference(const OptionSet&) {
  return true;
}

int all_planes(const OptionSet&) {
  return kMaxPlanes;
}

int luma_alone(const OptionSet&) {
  return 1;
}

bool every_frame(const OptionSet&) {
  return true;
}

// The frame before, of both videos.
NeighbourCount one_before(const OptionSet&) {
  return {.distorted = 1, .references = 1};
}

SpeedPlan chroma_plan(const OptionSet& set, const VideoFormats& formats) {
  return make_chroma_plan(to_chroma_options(set), formats);
}
SpeedPlan temporal_plan(const OptionSet& set, const VideoFormats& formats) {
  return make_temporal_plan(to_temporal_options(set), formats);
}

using MakePlan = SpeedPlan(const OptionSet&, const VideoFormats&);

template <MakePlan* make_plan>
void check(const OptionSet& set, const VideoFormats& formats) {
  make_plan(set, formats);
}

template <MakePlan* make_plan>
FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return {.fixed = thread_count(execution) * Workspace::bytes(make_plan(set, formats).plane)};
}

// Whole rows of one plane of both videos that the filter, or what is scaled for it, looks at.
int64_t bytes_of_plane(const PlanePlan& plan, const VideoFormats& formats) {
  const int64_t reach = static_cast<int64_t>(plan.anti_alias.filter.taps.size());
  const int64_t rows =
      plan.rows ? plan.source.height : std::min<int64_t>(reach * plan.kept.height, plan.source.height);
  const auto sample_bytes = [](const VideoFormat& video) { return video.bit_depth > 8 ? 2 : 1; };
  return rows * plan.source.width *
         (sample_bytes(formats.distorted) + sample_bytes(formats.reference.value()));
}

template <MakePlan* make_plan, int planes>
std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const std::string_view stage = is_on_device(backend) ? "reduce" : kWholeStage;
  return {{std::string(stage), planes * bytes_of_plane(make_plan(set, formats).plane, formats)}};
}

std::unique_ptr<HostFeature> make_chroma(const OptionSet& set, const VideoFormats& formats,
                                         const Execution& execution) {
  return make_chroma_feature(chroma_plan(set, formats), execution);
}
std::unique_ptr<HostFeature> make_temporal(const OptionSet& set, const VideoFormats& formats,
                                           const Execution& execution) {
  return make_temporal_feature(temporal_plan(set, formats), execution);
}

}  // namespace

const FeatureInfo& chroma_feature_info() {
  static const FeatureInfo kInfo = {
      .name = "speed_chroma",
      .summary =
          "SpEED-QA of both chroma planes: the difference of their blocks' entropies from the reference's",
      .options = chroma_option_specs(),
      .backends = kBackends,
      .publication = kPublication,
      .metrics = kMetrics,
      .metric_names = chroma_metric_names,
      .needs_reference = needs_reference,
      .planes = all_planes,
      .check = check<chroma_plan>,
      .memory = memory<chroma_plan>,
      .stage_bytes = stage_bytes<chroma_plan, 2>,
      .make = make_chroma,
  };
  return kInfo;
}

const FeatureInfo& temporal_feature_info() {
  static const FeatureInfo kInfo = {
      .name = "speed_temporal",
      .summary = "SpEED-QA of the luma's change from frame to frame against the reference's",
      .options = temporal_option_specs(),
      .backends = kBackends,
      .publication = kPublication,
      .metrics = kTemporalMetrics,
      .metric_names = temporal_metric_names,
      .needs_reference = needs_reference,
      .planes = luma_alone,
      .neighbours = one_before,
      .needs_every_frame = every_frame,
      .check = check<temporal_plan>,
      .memory = memory<temporal_plan>,
      .stage_bytes = stage_bytes<temporal_plan, 2>,
      .make = make_temporal,
  };
  return kInfo;
}

}  // namespace vq::speed
