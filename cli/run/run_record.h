// What a run finds out about its videos beside their scores, and says of them: scenes, whether pairs belong
// together, lengths, depth. Runs and merges of their parts keep the same record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/part_findings.h"
#include "cli/run/run_options.h"
#include "engine/analysis/padded_depth.h"
#include "engine/analysis/pair_watch.h"
#include "engine/analysis/scene_cuts.h"
#include "engine/report/report.h"

namespace vq::cli {

// Whether reports have the stages of the run, as extended ones and pages do.
bool tells_stages(const RunOptions& options);
// Whether an output has scenes.
bool tells_scenes(const RunOptions& options);

// A video of a run that was read to its end.
struct ReadVideoEnd {
  std::string path;
  std::optional<int64_t> declared_frames;  // by the container
  int64_t skipped = 0;                     // frames before that of number 0
};

class RunRecord {
 public:
  using Warn = std::function<void(const std::string& line)>;

  // Pairs are watched unless that was turned off. Needs: formats with a reference; what is skipped of either
  // video.
  void watch_pairs(const VideoFormats& formats, const Execution& execution, const Skips& skips);

  // Warns of what the pairs so far show. Faults are the run's if any feature compares the videos.
  void warn_of_pairs(bool ended, const std::vector<FeatureRequest>& features, const Warn& warn);
  // Throws PairFault for the first fault.
  void refuse_pair_faults() const;

  // All frames are through: warns, and throws PairFault and Error{kIncomplete} under --strict.
  struct Ending {
    ReadVideoEnd distorted;
    std::optional<ReadVideoEnd> reference;
    ShorterVideo shorter = ShorterVideo::kNone;
    int64_t pairs = 0, scored = 0;
  };
  void end(const RunOptions& options, const std::vector<FeatureRequest>& features,
           const VideoFormats& formats, const Ending& ending, const Warn& warn);

  // Fills those facts of the report that this record has. Needs: scores, times and inputs of the report.
  void fill(const RunOptions& options, Report& report) const;

  std::vector<std::string> notes;        // see RunFacts
  std::vector<std::string> pair_faults;  // see RunFacts
  PaddedDepth padding;
  SampledTypes types;                        // of the distorted video, if not all frames are scored
  std::unique_ptr<PairWatch> pair_watch;     // null: pairs are not watched
  std::optional<SceneCutFinder> scene_cuts;  // none: no output tells them
};

}  // namespace vq::cli
