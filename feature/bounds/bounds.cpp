#include "feature/bounds/bounds.h"

#include <cmath>

#include "feature/simd_targets.h"

namespace vq::bounds {
namespace {

constexpr OptionSpec kSpecs[] = {
    {.name = "threshold",
     .alias = "thr",
     .kind = OptionKind::kInt,
     .default_number = kLitSlack,
     .min = 0,
     .max = 219,
     .help = "by how many levels of 8-bit video a sample must exceed black to be lit"},
    {.name = "tolerance",
     .alias = "tol",
     .kind = OptionKind::kReal,
     .default_number = static_cast<double>(kLitTolerance) / kWholeShare,
     .min = 0,
     .max = 0.5,
     .help = "the share of a row or column that may be lit before it counts as picture"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

BoundsOptions to_options(const OptionSet& set) {
  return {.slack = set.get_int("threshold"),
          .tolerance = static_cast<int>(std::lround(set.get_real("tolerance") * kWholeShare))};
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names;
  for (const char* const part : {"share", "x", "y", "width", "height"}) {
    names.push_back(set.metric_name(std::string("bounds_") + part));
  }
  return names;
}

BoundsPlan make_plan(const BoundsOptions& options, const VideoFormat& video) {
  return {.width = video.width,
          .height = video.height,
          .rule = lit_rule(video, options.slack, options.tolerance)};
}

FrameResult frame_result(const BoundsPlan& plan, const ActiveArea& area) {
  const ActiveArea shown = area.has_rows() && area.has_columns() ? area : ActiveArea();
  const double width = shown.right - shown.left, height = shown.bottom - shown.top;
  const double share = width * height / (static_cast<double>(plan.width) * plan.height);
  return {.values = {share, static_cast<double>(shown.left), static_cast<double>(shown.top), width, height}};
}

namespace {

class BoundsHost final : public HostFeature {
 public:
  BoundsHost(const BoundsPlan& plan, const Execution& execution)
      : plan_(plan), count_lit_(count_lit_for(execution)), simd_(host_simd(execution)) {}

  FrameResult score(const FramePair& frames) override {
    NonBlackCounts counts(plan_.width, plan_.height);
    count_lit_(frames.distorted.luma(), plan_.rule.black, counts);
    return frame_result(plan_, active_area(counts, plan_.rule));
  }

  std::string simd() const override { return simd_; }

 private:
  const BoundsPlan plan_;
  const CountLit count_lit_;
  const std::string simd_;
};

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
constexpr MetricInfo kMetrics[] = {
    share_of("bounds_share", "picture's share of the frame"), edge_of("bounds_x", "left edge of the picture"),
    edge_of("bounds_y", "top edge of the picture"), edge_of("bounds_width", "width of the picture"),
    edge_of("bounds_height", "height of the picture")};

bool needs_reference(const OptionSet&) {
  return false;
}

BoundsPlan plan_of(const OptionSet& set, const VideoFormats& formats) {
  return make_plan(to_options(set), formats.distorted);
}

std::vector<StageBytes> stage_bytes(const OptionSet&, const VideoFormats& formats, Backend backend) {
  return {
      {is_on_device(backend) ? "count_lit" : std::string(kWholeStage), frame_bytes(formats.distorted, 1)}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return std::make_unique<BoundsHost>(plan_of(set, formats), execution);
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
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::bounds
