// Scores of scenes: the parts of a video between scene cuts, and their output formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace vq
