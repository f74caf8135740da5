// What finding the bounds of a video's pictures needs, and what is reported of them.
#pragma once

#include "core/scores.h"
#include "feature/bounds/options.h"

namespace vq::bounds {

struct BoundsPlan {
  int width = 0, height = 0;
  LitRule rule;
};

BoundsPlan make_plan(const BoundsOptions& options, const VideoFormat& video);

// For metric_names(): the rectangle's share of the frame, its x, y, width and height; all 0 where no row or no column is
// lit.
FrameResult frame_result(const BoundsPlan& plan, const LitArea& area);

}  // namespace vq::bounds
