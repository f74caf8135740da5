// A scoring run from open inputs to written reports.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/run_options.h"
#include "cli/reports/summary.h"
#include "cli/run/open_run.h"
#include "cli/run/replay.h"
#include "cli/run/run_members.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_record.h"
#include "cli/sandbox/sandbox.h"
#include "cli/system/messages.h"
#include "cli/system/progress.h"
#include "core/frame.h"
#include "engine/evaluator.h"
#include "feature/stage_clock.h"

namespace vq::cli {

// A run from open inputs to a report: its frames are read, watched and scored.

// Functions that are called while a run scores.
struct RunWatcher {
  std::function<void(double score)> scored = [](double) {};  // each frame in order, with its leading metric
  std::function<void(const ScoredRow& row)> row = {};        // the same with everything known of the frame
  std::function<void(const std::string& text)> note = {};    // messages that may interest in the meantime
};

// When frames begin to be read: by score(), or already by the constructor (kAtOnce), so that they are decoded
// while the extractor is being made.
enum class Reading { kWhenScoring, kAtOnce };

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
  void score(const RunWatcher& watcher);
  Report report() const;

  // Makes this run a part of another. Its findings also go to `findings`, which outlives it, and whatever
  // needs the other parts is left to the merge. Call it before score(), which then throws RefusedPair if both
  // the pairs of this part and the first pairs of the whole run do not belong together. Needs:
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
  void leave_device();
  void score_frames();
  void score_with_others();
  std::vector<InputFacts> inputs() const;
  BackendReport backend_report() const;
  void show_scores();
  void pass_warnings();
  void complete();
  PaceFacts pace() const;

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
  std::optional<Replay> replay_;     // once others score frames as well; the reader is closed then
  std::vector<InputFacts> inputs_;   // as far as ranges are delivered
  std::vector<ScoredBy> scored_by_;  // these, all members
  int64_t own_frames_ = 0, frames_of_range_ = 0;  // that are reported, before the cut and of the last range
  int64_t own_pairs_ = 0;                         // that were read before the cut
  int64_t cut_ = 0;                               // the first frame of others
};

// The whole run, and what other commands share with it.

// Scores, writes the reports and prints the summary. Returns the exit code if that is not an error: 0, or 128
// + signal after an interrupt. Throws Error; the scores before it are then in FILE.partial.
int run_scoring(RunOptions arguments, Messages& messages);

// How a run with these arguments shows its progress; `total` frames if known; `label` says what is scored, if
// that is one of several.
ProgressSettings progress_settings(const RunOptions& arguments, std::optional<int64_t> total,
                                   const std::string& label = {});

// The summary that a run with these arguments prints; the number of moments is theirs.
std::string run_summary(const Report& report, const RunOptions& arguments, SummaryStyle style);

// Throws Error{kUsage} if a feature is to write files, which only the scoring of one video does.
void refuse_feature_files(const RunOptions& arguments, const std::string& command);

// The sandbox of commands that decode.

// Confines the process, if the options ask for it, to what a run with these options reads and writes and to
// what `more` says, and notes which layers hold, for the report as well. Call it once, when the command line
// is known and before any video is opened or a thread is started; folders of outputs that do not exist are
// made. `more.devices` is not used. Throws as enter_sandbox().
void enter_sandbox_of(RunOptions& options, SandboxPaths more, Messages& messages);

// The file of --trace.

// Does the work, and writes a timeline of it to `path`; without a path, only the work. The file is written
// after everything the work used is gone, also if it throws; then its exception is the one to tell. Returns
// the work's exit code. Throws Error{kOutput}.
int traced(const std::string& path, const std::function<int()>& work);

}  // namespace vq::cli
