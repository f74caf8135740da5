#include "feature/bounds/bounds.h"

namespace vq::bounds {

BoundsPlan Bounds::make_plan(const Options& options, const VideoFormats& formats) {
  const VideoFormat& video = formats.distorted;
  const auto tolerance = static_cast<int>(std::lround(options.tolerance * kWholeShare));
  return {.width = video.width, .height = video.height, .rule = lit_rule(video, options.slack, tolerance)};
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
      : plan_(plan), count_lit_(count_lit_for(execution)) {}

  FrameResult score(const FramePair& frames) override {
    NonBlackCounts counts(plan_.width, plan_.height);
    count_lit_(frames.distorted.luma(), plan_.rule.black, counts);
    return frame_result(plan_, active_area(counts, plan_.rule));
  }

 private:
  const BoundsPlan plan_;
  const CountLit count_lit_;
};

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

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Bounds, BoundsHost>({
      .name = "bounds",
      .summary = "the picture without black bars: its share of the frame, its position and size in pixels",
      .metrics = kMetrics,
  });
  return kInfo;
}

}  // namespace vq::bounds
