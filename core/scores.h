// What features find in frames, and where it goes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plane.h"

namespace vq {

// Of one frame, one for each of FeatureInfo::metric_names, in that order.
using FrameValues = std::vector<double>;

// What one feature finds in one frame.
struct FrameResult {
  FrameValues values = {};
  // What FeatureInfo::aggregates needs of all frames, as numbers to be added up; empty where there is no such
  // function.
  std::vector<double> tallies = {};
  // One for each of FeatureInfo::text_names, in that order; empty where there are none.
  std::vector<std::string> texts = {};
  // One for each of FeatureInfo::histograms, in that order: how many samples each bin has. Empty where none
  // were asked for.
  std::vector<std::vector<uint32_t>> histograms = {};
  // The finest scale first; empty where none were asked for.
  std::vector<Plane<uint16_t>> heatmaps = {};
};

// All that is known of a frame.
struct FrameScores {
  int64_t frame = 0;
  bool is_reported = true;  // false: only for the tallies
  // Of each feature of the run, in order. A frame that repeats the one before is told with the same results.
  std::span<const FrameResult> results;
};

// Receives one call a frame, in frame order, on the thread that pushes frames or finishes.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  virtual void scored(const FrameScores& scores) = 0;
};

}  // namespace vq
