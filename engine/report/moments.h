// The worst moments of a run: one definition for the summary, reports, pages and pictures.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/metric_info.h"
#include "engine/report/report.h"

namespace vq {

// A frame's score and its place in the video.
struct TimedScore {
  int64_t frame = 0;
  std::optional<double> timestamp;  // seconds
  double score = 0;
};

// Finds the worst moments of frames that come one by one. A moment is a frame that scores worse than every
// other frame of its scene less than a second from it; of equal ones the first counts. Frames without a flaw,
// and scores that are not numbers, are no moments; a metric of which neither side is worse has none. Where
// one of two frames has no time, they are less than a second apart if their numbers differ by less than 25.
// The worst moments are the worst of each scene, those of the worst scenes; where there are fewer scenes, the
// worst of the other moments as well. Of a video whose scenes nobody knows all is one.
class MomentFinder {
 public:
  // `count`: how many to keep.
  MomentFinder(const MetricInfo& metric, size_t count) : metric_(metric), count_(count) {}

  // The next frame; numbers ascend. True where it may turn out to be one of the worst moments, until holds()
  // says otherwise.
  bool add(const TimedScore& frame, bool begins_scene = false);
  // Whether the frame is one of the worst moments so far, or may become one.
  bool holds(int64_t frame) const;
  // The worst moments of the frames so far, worst first, of equal scores the earlier first; at most `count`.
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
  std::deque<TimedScore> second_;  // frames of the last second that no later one of it reaches, worst first
  std::optional<TimedScore> candidate_;    // worse than all before it; its second is not over
  std::optional<TimedScore> scene_worst_;  // so far, of the scene that goes on
  Moments scenes_;                         // the worst of each scene before
  Moments others_;                         // moments of any scene that are not the worst of it
};

// Positions in `report` of the worst moments of one of its metrics, worst first; scenes are those of its
// scene cuts. Needs: as many values as the report has frames.
std::vector<size_t> worst_moments(const Report& report, const MetricInfo& metric,
                                  std::span<const double> values, size_t count);

}  // namespace vq
