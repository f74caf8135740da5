// Observers of scored frames with their pictures and heatmaps.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "feature/feature.h"

namespace vq::cli {

// Numbers of frames, both inclusive.
struct FrameRange {
  int64_t first = 0;
  int64_t last = std::numeric_limits<int64_t>::max();
  bool contains(int64_t frame) const { return frame >= first && frame <= last; }
};

// Valid only during the call.
struct ScoredFrame {
  const Frame& picture;                       // of the distorted video
  double score;                               // the shown feature's metric
  std::span<const Plane<uint16_t>> heatmaps;  // by scale, as FeatureInfo::heatmaps describes them
  // Those of the first feature that delivers them, by channel; empty if none does.
  std::span<const std::vector<uint32_t>> histograms = {};
  const Frame* reference = nullptr;     // the reference's frame, if there is one
  std::span<const double> others = {};  // as ObservedVideo::others
};

class FrameObserver {
 public:
  virtual ~FrameObserver() = default;
  // Whether a frame's picture is wanted at all; asked before it is scored.
  virtual bool wants(int64_t frame) const {
    (void)frame;
    return true;
  }
  // The wanted frames, in order.
  virtual void frame(const ScoredFrame& frame) = 0;
};

// Properties that are constant over the frames of an observed video.
struct ObservedVideo {
  VideoFormat format;
  std::optional<VideoFormat> reference = {};
  MetricInfo metric;  // of the shown feature
  std::vector<HeatmapInfo> heatmaps;
  std::vector<MetricInfo> others = {};  // other metrics of the run with a better direction
  size_t judged_others = 0;             // the number of leading ones that have a verdict
  // Whether a scene may begin after one frame and up to the other; null: scenes are not searched.
  std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {};
  std::vector<HistogramInfo> histograms = {};  // of the first feature that delivers them
  std::optional<double> frame_rate;
  std::optional<int64_t> frames;  // number of frames to be scored, if known
};

// Destinations of heatmaps besides the features' raw files.
struct HeatmapTaps {
  bool raw_files = true;                  // false: no raw files
  FrameRange raw_frames;                  // frames in the raw files
  std::vector<FrameObserver*> observers;  // of the first feature; they outlive the scorer
  bool levels = false;                    // record the histograms of the run
};

}  // namespace vq::cli
