// A run from open inputs to a report: its frames are read, watched and scored.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/run/open_run.h"
#include "cli/run/run_members.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/frame.h"
#include "engine/evaluator.h"
#include "feature/stage_clock.h"

namespace vq::cli {

// Called while a run scores.
struct RunWatcher {
  std::function<void(double score)> scored = [](double) {};  // each frame in order, with its leading metric
  std::function<void(const ScoredRow& row)> row = {};        // the same with everything known of the frame
  std::function<void(const std::string& text)> note = {};    // messages that may interest in the meantime
  std::function<void()> begins_again = [] {};  // a sample was not enough: all frames follow, from the first
};

// When frames begin to be read: by score(), or already by the constructor (kAtOnce), so that they are decoded
// while the extractor is being made.
enum class Reading { kWhenScoring, kAtOnce };

// The next findings of a run's frames, in order; waits. Nothing at the end, and if the run is stopped. Throws
// what scoring there threw.
using NextFindings = std::function<std::optional<RangeFindings>()>;

// One pass over the frames of the inputs. If devices join, this thread reports what they find.
class ScoringRun {
 public:
  // Opens the inputs, settles what is computed, makes the extractor, and opens what is written while scoring:
  // all that can be known before the first frame is checked. Options and messages, to which warnings go,
  // outlive this. The reference is `reference` if that is given, and opened here otherwise. Throws Error.
  ScoringRun(const RunOptions& options, Messages& messages, std::unique_ptr<FrameReader> reference = nullptr,
             Reading reading = Reading::kWhenScoring);

  // Reads and scores all frames. Ends early if it is stopped. Throws what reading and scoring throw;
  // RefusedPair for a fault of the pair that ends the run (refuse_pair_fault()); and under --strict
  // Error{kIncomplete} if the videos have different lengths. After an exception scored() and report() have
  // the frames before the failing one.
  // `next`: what others found of all frames; then nothing is read here. Needs: RunOptions::confidence.
  void score(const RunWatcher& watcher, const NextFindings& next = {});
  Report report() const;

  // Makes this run a part of another. Its findings also go to `findings`, which outlives it, and whatever
  // needs the other parts is left to the merge. Call it before score(), which then throws RefusedPair only
  // if neither the pairs of this part nor the first pairs of the whole run belong together. Needs:
  // RunOptions::part, or the part is the whole run.
  void collect(PartFindings& findings);
  // See PairReader::bound(). To be called before score().
  void bound(std::function<bool(int64_t frame)> may_use) { run_.reader->bound(std::move(may_use)); }

  const SettledRun& settled() const { return run_; }
  RunOutputs& outputs() { return outputs_; }
  // Frames that will be scored, as far as the containers tell.
  std::optional<int64_t> expected_frames() const { return expected_; }
  int64_t scored() const { return evaluator_.scored(); }

 private:
  RunContext context();
  void read_again(FramePair& pair);
  void place_frames(const std::shared_ptr<FrameStore>& store);
  void score_frames();
  void score_with_others();
  void replay(const NextFindings& next);
  std::vector<InputFacts> inputs() const;
  BackendReport backend_report() const;
  void show_scores();
  void pass_warnings();
  void complete();

  // The videos as they are read once more; see read_again().
  struct Again {
    SettledRun run;
    PreviousFrames before;
  };

  // Measures the thread that scores, and stands still while that thread does something else.
  StageClock clock_{pace::kOpening};
  const RunOptions& options_;
  Messages& messages_;
  SettledRun run_;
  const std::optional<int64_t> expected_;
  std::optional<Again> again_;
  const RunWatcher* watcher_ = nullptr;  // while scoring
  RunRecord record_;
  RunOutputs outputs_;
  RepeatFinder repeats_, reference_repeats_;
  std::unique_ptr<RunMembers> members_;  // null: no others
  Evaluator evaluator_;
  int64_t shown_ = 0;
  bool is_complete_ = false;
  std::optional<Replay> replay_;            // once others score frames as well; the reader is closed then
  int64_t own_frames_ = 0, own_pairs_ = 0;  // that are reported before the cut, and that were read
  int64_t cut_ = 0;                         // the first frame of others
};

}  // namespace vq::cli
