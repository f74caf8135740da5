// The bounds of the picture: options, metric names, and the registry entry.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "feature/active_area.h"
#include "feature/feature.h"

namespace vq::bounds {

// Ranges and defaults are those of option_specs().
struct BoundsOptions {
  int slack = kLitSlack;
  int tolerance = kLitTolerance;  // in millionths
};

std::span<const OptionSpec> option_specs();
// A tolerance is rounded to millionths.
BoundsOptions to_options(const OptionSet& set);

// Per frame, in order.
std::vector<std::string> metric_names(const OptionSet& set);

struct BoundsPlan {
  int width = 0, height = 0;
  LitRule rule;
};

BoundsPlan make_plan(const BoundsOptions& options, const VideoFormat& video);

// Values for metric_names(): the rectangle's share of the frame, its x, y, width and height; all 0 if no row
// or no column is lit.
FrameResult frame_result(const BoundsPlan& plan, const ActiveArea& area);

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: all is done there, and four numbers of each
// frame come back.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::bounds
