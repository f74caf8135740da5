#include "feature/bounds/feature.h"

#include "feature/bounds/plan.h"

namespace vq::bounds {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

// Bars are no flaw: a picture that is wider than its frame is as good as one that fills it.
constexpr MetricInfo edge_of(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .unit = "px", .subject = "picture area", .decimals = 0};
}
constexpr MetricInfo share_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "picture area",
          .usual_top = 1,
          .explanation = "How much of the frame is picture, and not black bars: 1 for all of it."};
}
constexpr MetricInfo kMetrics[] = {share_of("bounds_share", "picture's share of the frame"),
                                   edge_of("bounds_x", "left edge of the picture"),
                                   edge_of("bounds_y", "top edge of the picture"),
                                   edge_of("bounds_width", "width of the picture"),
                                   edge_of("bounds_height", "height of the picture")};

bool needs_reference(const OptionSet&) {
  return false;
}

BoundsPlan plan_of(const OptionSet& set, const InputFormats& formats) {
  return make_plan(to_options(set), formats.distorted);
}

// Nothing that the videos could forbid.
void check(const OptionSet&, const InputFormats&) {}

std::vector<StageBytes> stage_bytes(const OptionSet&, const InputFormats& formats, Backend backend) {
  return {{is_on_device(backend) ? "count_lit" : std::string(kWholeStage), frame_bytes(formats.distorted, 1)}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const InputFormats& formats, const Execution& execution) {
  return make_host_feature(plan_of(set, formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "bounds",
      .summary = "the picture without black bars: its share of the frame, its position and size in pixels",
      .options = option_specs(),
      .backends = kBackends,
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .check = check,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::bounds
