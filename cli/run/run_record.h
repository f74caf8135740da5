// A run's findings about its videos beside their scores, and its messages about them: scenes, whether pairs
// belong together, lengths, depth. A run and a merge of its parts keep the same record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/decoding/video_source.h"
#include "cli/inputs/run_options.h"
#include "engine/analysis/pair_watch.h"
#include "engine/analysis/picture_format.h"
#include "engine/known_metrics.h"
#include "engine/part_findings.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::cli {

// A video of a run that was read to its end.
struct ReadVideoEnd {
  std::string path;
  std::optional<int64_t> declared_frames;  // by the container
  int64_t skipped = 0;                     // frames before that of number 0
};

class RunRecord final : public EvaluationObserver {
 public:
  using Warn = std::function<void(const std::string& line)>;

  // Pairs and scenes are watched as the options say, which outlive this and have the features that are
  // computed. `execution`: see PairWatch.
  RunRecord(const RunOptions& options, const VideoFormats& formats, const Execution& execution, Warn warn);
  // See RunFacts.
  void add_notes(const std::vector<std::string>& notes);
  void add_faults(const std::vector<PairFault>& faults);
  // The approximate number of pairs, by which too many misplaced frames are known before the end.
  void expect(int64_t pairs);
  // A part of the pictures is scored that was chosen.
  void ignore_bars();
  // Findings go to `findings`, which outlives this, and warnings are left to the merge. A part cannot judge
  // the whole, so if its pairs look wrong `judge_beginning` is called, once.
  void collect(PartFindings& findings, std::function<void()> judge_beginning);
  bool is_part() const { return findings_ != nullptr; }

  // A pair of the range, scored or not, in order; or what a part saw of it.
  void look(const FramePair& pair);
  void look(const LookedPair& pair);
  // One of these pairs that is read for the features; those that are not scored are neighbours of a part.
  void look_at_scored(const FramePair& pair, bool is_scored);
  // What the features found of a frame, which a part keeps.
  void found(const FrameScores& scores) override;
  // Warns of what the pairs so far show. Throws RefusedPair for a fault that ends the run.
  void judge_pairs() { take_pair_faults(false); }
  // Adds the findings of a part beside its frames and pairs.
  void add(const PartFindings& part);
  // Whether a scene may begin behind one frame and up to the other. Needs: scenes are watched, and this is no
  // part.
  bool may_begin_scene_in(int64_t after, int64_t frame) const;
  bool watches_scenes() const { return scene_cuts_ || options_.scenes; }

  // All frames are through: warns, and throws RefusedPair, and Error{kIncomplete} under --strict.
  struct ReadVideos {
    ReadVideoEnd distorted;
    std::optional<ReadVideoEnd> reference;
    ShorterVideo shorter = ShorterVideo::kNone;
    int64_t pairs = 0, scored = 0;
  };
  void end(const ReadVideos& read);
  // The same of a part: completes its findings. Needs: is_part().
  void end_part(ShorterVideo shorter, int64_t pairs);

  // Completes a report, of a run or of a merge of its parts, that has the scores; of its run inputs,
  // features, models, backend and device, crop, threads, pace, seconds, completeness and warnings.
  void complete(Report& report, const BackendReport& backend) const;

 private:
  void look_for_scenes(const FramePair& pair);
  void take_pair_faults(bool ended);
  void judge_part();

  const RunOptions& options_;
  const VideoFormats formats_;
  const Warn warn_;
  PartFindings* findings_ = nullptr;
  std::function<void()> judge_beginning_;
  std::vector<std::string> notes_;
  std::vector<PairFault> pair_faults_;
  PaddedDepth padding_;
  SampledTypes types_;                        // of the distorted video, if not all frames are scored
  std::unique_ptr<PairWatch> pair_watch_;     // null: no feature compares the videos
  std::optional<SceneCutFinder> scene_cuts_;  // none: no output tells them, or they are given
  const signature::CellSums cell_sums_;       // for scenes
  std::vector<int64_t> possible_cuts_;        // before it is known which are; all that are given
};

// The extended report's facts about a run's inputs and features.

// `frames` were read of it, after skipping; `measured` is what the whole stream came to, if it was read.
InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames,
                       const std::optional<StreamLength>& measured);

// A note that material of few bits is scored at its container's depth; empty if that changes nothing.
// `depth`: see PaddedDepth.
std::string padding_note(std::span<const FeatureRequest> features, const VideoFormats& formats,
                         std::optional<int> depth);

// One video of a pair ended before the other.
struct ShorterPair {
  std::string shorter, longer;                // paths
  int64_t pairs = 0;                          // that were read
  std::optional<int64_t> longer_frames = {};  // as declared
  int64_t skipped = 0;                        // of the longer one
};
std::string shorter_text(const ShorterPair& pair);
// The resulting warning. Throws Error{kIncomplete} under `strict`.
std::string judge_lengths(const std::string& text, int64_t scored, bool strict);

std::vector<StageFacts> stage_facts(const BackendReport& backend);

// Where the time of a run went. `waited`: seconds its reader waited for frames, which count as
// pace::kPreparing there.
PaceFacts pace_of(const std::vector<StageTotal>& parts, double waited);

}  // namespace vq::cli
