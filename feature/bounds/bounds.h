// The bounds of the picture: options, metric names, and the registry entry.
#pragma once

#include "feature/active_area.h"
#include "feature/metric_type.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::bounds {

struct BoundsOptions {
  int slack = kLitSlack;
  double tolerance = static_cast<double>(kLitTolerance) / kWholeShare;  // used in millionths
};

struct BoundsPlan {
  int width = 0, height = 0;
  LitRule rule;
};

struct Bounds {
  using Options = BoundsOptions;
  static constexpr auto kOptions =
      option_table<Options>({{&Options::slack, "threshold thr", 0, 219,
                              "by how many levels of 8-bit video a sample must exceed black to be lit"},
                             {&Options::tolerance, "tolerance tol", 0, 0.5,
                              "the share of a row or column that may be lit before it counts as picture"}});
  using Plan = BoundsPlan;
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&) {
    return {"bounds_share", "bounds_x", "bounds_y", "bounds_width", "bounds_height"};
  }
  static bool needs_reference(const Options&) { return false; }
};

// Values for Bounds::names(): the rectangle's share of the frame, its x, y, width and height; all 0 if no row
// or no column is lit.
FrameResult frame_result(const BoundsPlan& plan, const ActiveArea& area);

const FeatureInfo& feature_info();

// All is done on the device, and four numbers of each frame come back.
extern const DeviceSupport kDeviceSupport;

// Finds the lit area of a plane by the two stages of feature/active_area.h.
class ActiveAreaPasses {
 public:
  ActiveAreaPasses(vulkan::Context& context, const vulkan::DevicePlane& luma, const LitRule& rule);

  // Names the stages of the recording.
  void record(vulkan::Recorder& recorder) const;
  ActiveArea area() const;

 private:
  const vulkan::DevicePlane& luma_;
  const LitRule rule_;
  const vulkan::Pipeline &count_lit_, &active_area_;
  vulkan::Buffer counts_;  // of all rows, then of all columns
  vulkan::Buffer area_, readback_;
};

}  // namespace vq::bounds
