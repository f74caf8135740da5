// Lists of scenes from files: those of other programs, and the table that scenes_csv() writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/report/report.h"

namespace vq {

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
