// Stretches of a video whose scores are beyond a threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/metric_info.h"

namespace vq {

struct Report;

struct SegmentRule {
  double from = 0;   // a score as bad as this begins a segment
  double until = 0;  // a score that is better than this ends it; at least as good as `from`
  // Shorter ones are left out: less than so many frames of the video, or seconds.
  int64_t shortest_frames = 1;
  double shortest_seconds = 0;
  bool operator==(const SegmentRule&) const = default;
};

// Frames that the run left out count with the scored frame before them.
struct Segment {
  int64_t first = 0, last = 0;       // numbers of frames, both in it
  std::optional<double> start, end;  // seconds; the end is when the frame behind it is shown
  double mean = 0, worst = 0;        // of the scores
  int64_t worst_frame = 0;           // the first of those that score like that
  bool operator==(const Segment&) const = default;
};

// Those of one metric, in order. A score that is not a number ends a segment. Needs: a metric of which one side is worse, as
// many values as the report has frames.
std::vector<Segment> find_segments(const Report& report, const MetricInfo& metric, std::span<const double> values,
                                   const SegmentRule& rule);

}  // namespace vq
