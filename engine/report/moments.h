// The worst moments of a run: one definition for the summary, reports, pages and pictures.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/metric.h"
#include "engine/report/report.h"

namespace vq {

// A frame's score and time.
struct TimedScore {
  int64_t frame = 0;
  std::optional<double> timestamp;  // seconds
  double score = 0;
};

// Finds the worst moments among frames that arrive one by one. A moment is a frame that scores worse than
// every other frame of its scene less than a second away; among equal ones, the first. Frames without a flaw
// and scores that are NaN are no moments; a metric without a better direction has none. If one of two frames
// has no time, they are less than a second apart if their numbers differ by less than 25. The worst moments
// are the worst of each scene, for the worst scenes; if there are fewer scenes, the worst of the other
// moments follow. Without scene cuts the video is one scene.
class MomentFinder {
 public:
  // `count`: maximum number of moments.
  MomentFinder(const MetricInfo& metric, size_t count) : metric_(metric), count_(count) {}

  // The next frame; numbers ascend. Returns whether it may become one of the worst moments, until holds() is
  // false for it.
  bool add(const TimedScore& frame, bool begins_scene = false);
  // Whether the frame is one of the worst moments so far, or may become one.
  bool holds(int64_t frame) const;
  // The worst moments so far, worst first, the earlier of equal ones first; at most `count`.
  std::vector<TimedScore> worst() const;

 private:
  bool worse(double score, double than) const { return is_worse(metric_, score, than); }
  using Moments = std::vector<TimedScore>;  // sorted as worst() returns them

  bool is_flawed(double score) const;
  bool ranks(const Moments& moments, size_t room, double score) const;
  size_t room_for_others() const;
  void insert(Moments& moments, const TimedScore& moment) const;
  bool leads(const TimedScore& frame) const;
  void end_second();
  void end_scene();
  void trim();

  const MetricInfo metric_;
  const size_t count_;
  // frames of the last second that are worse than all later ones of it, worst first
  std::deque<TimedScore> second_;
  std::optional<TimedScore> candidate_;    // worse than all before it; its second is not over
  std::optional<TimedScore> scene_worst_;  // of the current scene so far
  Moments scenes_;                         // the worst of each earlier scene
  Moments others_;                         // moments that are not the worst of their scene
};

// Indices in `report` of the worst moments of one of its metrics, worst first; scenes are given by its scene
// cuts. Needs: as many values as the report has frames.
std::vector<size_t> worst_moments(const Report& report, const MetricInfo& metric,
                                  std::span<const double> values, size_t count);

}  // namespace vq
