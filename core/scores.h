// Results of features, and their receiver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plane.h"

namespace vq {

// Values of one frame in the order of FeatureInfo::metric_names.
using FrameValues = std::vector<double>;

// Results of one feature for one frame.
struct FrameResult {
  FrameValues values = {};
  // Input of FeatureInfo::aggregates, as numbers to be summed over all frames; empty if the feature has no
  // such function.
  std::vector<double> tallies = {};
  // In the order of FeatureInfo::text_names; empty if there are none.
  std::vector<std::string> texts = {};
  // Sample counts per bin, in the order of FeatureInfo::histograms; empty if none were requested.
  std::vector<std::vector<uint32_t>> histograms = {};
  // The finest scale first; empty if none were requested.
  std::vector<Plane<uint16_t>> heatmaps = {};
};

// All results for one frame.
struct FrameScores {
  int64_t frame = 0;
  bool is_reported = true;  // false: only the tallies count
  // Results of each feature of the run, in order. A frame that repeats the previous one has the same results.
  std::span<const FrameResult> results;
};

// Is called once per frame, in frame order, on the thread that pushes or finishes frames.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  virtual void scored(const FrameScores& scores) = 0;
};

}  // namespace vq
