// Scores of scenes, the parts of a video between scene cuts, with their output formats, and worst moments.
#pragma once

#include "core/metric.h"
#include "engine/report/report.h"
#include "engine/report/statistic.h"

namespace vq {

struct Scene {
  int64_t first = 0, last = 0;  // numbers of frames, both inclusive
  // Positions of its scored frames; equal if sampling left out all of them.
  size_t begin = 0, end = 0;
  std::optional<double> start, stop;  // seconds; `stop` is the start of the next scene
  int64_t frames() const { return last - first + 1; }
};

// The scenes of the scored part of the video, in order, without gaps. Empty if nobody looked for scene cuts
// or no frame was scored.
std::vector<Scene> scenes_of(const Report& report);

// Whether scenes_of() has any.
bool has_scenes(const Report& report);

// The statistics that files list for each scene, in this order.
const std::vector<Statistic>& scene_statistics();
// The metrics whose scores are listed: those that were requested, or all if none was.
std::vector<const Metric*> scene_metrics(const Report& report);
// These statistics of the metric in the scene, in order; NaN for a scene without scored frames.
std::vector<double> statistics_in(const Metric& metric, const Scene& scene);

// The aggregates of the scene; none if they are unknown.
std::vector<std::pair<std::string, double>> aggregates_in(const Report& report, const Scene& scene);

// "START,STOP,DURATION" for tables, empty where unknown.
std::string csv_times(std::optional<double> start, std::optional<double> stop);
// Places of the scores that people see: all, or if they are too many the worst, the worst first.
std::vector<size_t> shown_places(std::span<const double> scores, const MetricInfo& metric);

// A line for each scene and metric. Needs: has_scenes().
std::string scenes_csv(const Report& report);
// For people: a table with the mean of the first metrics, and how bad the first one gets. Of more than 20
// scenes it has the worst. `width`: of the terminal; 0: any. Needs: has_scenes().
std::string scenes_text(const Report& report, size_t width);
// Scenes as the file of Av1an's --scenes, which numbers frames from the start of the video. Needs:
// has_scenes().
std::string scenes_for_av1an(const Report& report);

// Lists of scenes from files: those of other programs, and the table that scenes_csv() writes.

// First frames of the scenes, ascending, numbered from 0 at the start of the video. Accepts Av1an's
// scenes.json; the CSV of PySceneDetect's list-scenes, with or without its line of timecodes, which numbers
// frames from 1 (if its first frame is 0, from 0); and the table of --scenes, whose frames count from the
// first one behind `skipped` frames. Throws Error{kInput}, which names `path`.
struct SceneList {
  std::vector<int64_t> starts;
  bool is_own = false;  // of --scenes: frames are numbered as in its report
};
SceneList parse_scene_list(const std::string& text, const std::string& path);

// The cuts that follow from the list in the scored part of this report, ascending.
std::vector<int64_t> cuts_in(const Report& report, const SceneList& list);

// The worst moments of a run: one definition for the summary, reports, pages and pictures.

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
