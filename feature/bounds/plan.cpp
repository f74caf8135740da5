#include "feature/bounds/plan.h"

namespace vq::bounds {

BoundsPlan make_plan(const BoundsOptions& options, const VideoFormat& video) {
  return {.width = video.width, .height = video.height, .rule = lit_rule(video, options.slack, options.tolerance)};
}

FrameResult frame_result(const BoundsPlan& plan, const LitArea& area) {
  const LitArea shown = area.has_rows() && area.has_columns() ? area : LitArea();
  const double width = shown.right - shown.left, height = shown.bottom - shown.top;
  const double share = width * height / (static_cast<double>(plan.width) * plan.height);
  return {.values = {share, static_cast<double>(shown.left), static_cast<double>(shown.top), width, height}};
}

}  // namespace vq::bounds
