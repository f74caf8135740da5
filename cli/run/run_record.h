// A run's findings about its videos beside their scores, and its messages about them: scenes, whether pairs
// belong together, lengths, depth. A run and a merge of its parts keep the same record.
#pragma once

#include "cli/decoding/video_source.h"
#include "cli/inputs/run_options.h"
#include "core/frame.h"
#include "engine/analysis/pair_watch.h"
#include "engine/analysis/picture_format.h"
#include "engine/evaluator.h"
#include "engine/known_metrics.h"
#include "engine/part_findings.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::cli {

// How far the videos of a run were read.
struct ReadVideos {
  struct Video {
    std::string path;
    std::optional<int64_t> declared_frames;  // by the container
    int64_t skipped = 0;                     // frames before that of number 0
  };
  Video distorted;
  std::optional<Video> reference = {};
  ShorterVideo shorter = ShorterVideo::kNone;
  int64_t pairs = 0, scored = 0;
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
  // Takes the approximate number of pairs. With it too many misplaced frames are noticed before the end.
  void expect(int64_t pairs);
  // To be called if pictures are cropped. Then nothing warns of bars.
  void ignore_bars();
  // Makes this the record of a part: its findings go to `findings`, which outlives this, and warnings are
  // left to the merge. A part cannot judge the whole run, so the first time that its pairs look wrong it
  // calls `judge_beginning`, which may be null.
  void collect(PartFindings& findings, std::function<void()> judge_beginning);
  bool is_part() const { return findings_ != nullptr; }

  // Takes the pairs of the range in order, whether they are scored or not. A merge passes what a part saw of
  // each instead.
  void look(const FramePair& pair);
  void look(const LookedPair& pair);
  // Takes each pair that is read for the features. A part also reads pairs that it does not score, as
  // neighbours of those that it does.
  void look_at_scored(const FramePair& pair, bool is_scored);
  // A part keeps what the features found of the frame; a run that watches scenes adds up what adds up.
  void found(const FrameScores& scores) override;
  // Warns of the faults that the pairs so far show. Throws RefusedPair if one of them ends the run.
  void judge_pairs() { take_pair_faults(false); }
  // Adds the findings of a part other than its frames and pairs, for the merge.
  void add(const PartFindings& part);
  // Whether a scene may begin at a frame later than `after`, up to `frame`. Needs: watches_scenes(), and
  // !is_part().
  bool may_begin_scene_in(int64_t after, int64_t frame) const;
  bool watches_scenes() const { return scene_cuts_ || options_.scenes; }

  // Ends the record after the last frame, with the warnings that take all frames. Throws RefusedPair for a
  // fault that refuses the run, and under --strict Error{kIncomplete} if one video is shorter.
  void end(const ReadVideos& read);
  // Ends the record of a part, and completes its findings. Needs: is_part().
  void end_part(ShorterVideo shorter, int64_t pairs);

  // Fills in the rest of a report, of a run or of a merge of its parts. Needs: the report has the scores, and
  // its `run` has inputs, features, models, backend, crop, threads, pace, seconds, completeness and warnings.
  void complete(Report& report) const;

 private:
  // What features add up over the frames from one that may begin a scene to the next.
  struct Sums {
    int64_t first = 0, last = 0;              // frames that were added
    std::vector<std::vector<double>> totals;  // by feature
  };
  void add_up(const FrameScores& scores);
  static std::vector<Sums> joined(std::vector<Sums> sums, std::span<const int64_t> cuts, int64_t end);

  void look_for_scenes(const FramePair& pair);
  void take_pair_faults(bool ended);

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
  std::optional<SceneCutFinder> scene_cuts_;  // none: no output shows scenes, or the user gave them
  const signature::CellSums cell_sums_;       // for scenes
  std::vector<int64_t> possible_cuts_;        // frames that may turn out to be cuts, or the given cuts
  std::vector<Sums> sums_;
};

// `frames` were read of it, after skipping; `measured` is what the whole stream came to, if it was read.
InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames,
                       const std::optional<StreamLength>& measured);

// The warning if one video ended before the other; empty if none did. Throws Error{kIncomplete} under
// RunOptions::strict.
std::string judge_lengths(const ReadVideos& read, const RunOptions& options);

// Where the time of a run went. `waited`: seconds its reader waited for frames, which count as
// pace::kPreparing there.
PaceFacts pace_of(const std::vector<StageTotal>& parts, double waited);

// Adds stages, bytes and features on the host of a part of the run.
void add_work(BackendReport& all, const BackendReport& more);

// Findings of the parts of a run, given to the record and the evaluator of the whole run as if they were
// found now: by parts of other machines, or of other members of this one.
class Replay {
 public:
  // The record and the evaluator outlive this. `warn` gets each line once, but for those that know() had.
  // Needs: RunContext::takes_results.
  // `inputs` and `scored_by`: of the run so far.
  Replay(RunRecord& record, Evaluator& evaluator, std::function<void(const std::string&)> warn,
         std::vector<InputFacts> inputs, std::vector<ScoredBy> scored_by = {})
      : record_(record),
        evaluator_(evaluator),
        warn_(std::move(warn)),
        inputs_(std::move(inputs)),
        scored_by_(std::move(scored_by)) {}

  // Frames and pairs of a part, or some of them, in order. `Part` has frames(), frame(i), fill(i, results),
  // pairs() and pair(i), as ShardResult has them. `scored` is called after each frame. Throws as
  // RunRecord::judge_pairs() and Evaluator::push().
  template <typename Part>
  void add(
      const Part& part, const std::function<void()>& scored = [] {}) {
    size_t next = 0;
    const auto look_up_to = [&](int64_t frame) {
      for (; next < part.pairs(); ++next) {
        const LookedPair pair = part.pair(next);
        if (pair.frame > frame) return;
        record_.look(pair);
        last_pair_ = pair.frame;
      }
    };
    for (size_t i = 0; i < part.frames(); ++i) {
      const PushedFrame pushed = part.frame(i);
      look_up_to(pushed.frame);
      part.fill(i, results_);
      push(pushed);
      scored();
    }
    look_up_to(std::numeric_limits<int64_t>::max());
  }
  // The other findings of a part, and the facts of its run.
  void add(const PartFindings& found, const RunFacts& run);
  // The frames since the last call were scored in this run.
  void count(const RunFacts& run);
  // Warns of what was not said before.
  void warn(const std::string& line) {
    if (told_.insert(line).second) warn_(line);
  }
  void know(const std::vector<std::string>& lines) { told_.insert(lines.begin(), lines.end()); }

  // Sums over all parts so far.
  const BackendReport& sums() const { return sums_; }
  const std::vector<InputFacts>& inputs() const { return inputs_; }  // with the decoders of all
  const std::vector<ScoredBy>& scored_by() const { return scored_by_; }
  int64_t pairs() const { return pairs_; }
  int64_t last_pair() const { return last_pair_; }    // number of its frame, if pairs are watched; -1: none
  int64_t last_frame() const { return pair_.index; }  // that was added
  // How far the videos were read, as the last part has it.
  ReadVideos read(int64_t pairs) const;

 private:
  void push(const PushedFrame& pushed);

  RunRecord& record_;
  Evaluator& evaluator_;
  const std::function<void(const std::string&)> warn_;
  std::set<std::string> told_;
  BackendReport sums_;
  FramePair pair_;
  std::vector<FrameResult> results_;
  std::vector<InputFacts> inputs_;
  std::vector<ScoredBy> scored_by_;
  int64_t pairs_ = 0, last_pair_ = -1;
  int64_t frames_ = 0;  // that are reported, of no run yet
  ShorterVideo shorter_ = ShorterVideo::kNone;
  std::optional<int64_t> distorted_frames_, reference_frames_;
};

// The words of both lists, each once.
std::string joined_words(std::string all, const std::string& more);

// The members that scored the run; `frames` is the number that are reported. None without frames.
std::vector<ScoredBy> members_of(const RunFacts& run, int64_t frames);

}  // namespace vq::cli
