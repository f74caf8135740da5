// A scoring run from open inputs to written reports.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/summary.h"
#include "cli/run/evaluate_run.h"
#include "cli/run/open_run.h"
#include "cli/run/run_outputs.h"
#include "cli/sandbox/sandbox.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/progress.h"

namespace vq::cli {

// Scores, writes the reports and prints the summary. Returns the exit code if that is not an error: 0, or 128
// + signal after an interrupt. Throws Error; the scores before it are then in FILE.partial.
int run_scoring(RunOptions arguments, Messages& messages);

// How a run with these arguments shows its progress; `total` frames if known; `label` says what is scored, if
// that is one of several.
ProgressSettings progress_settings(const RunOptions& arguments, std::optional<int64_t> total,
                                   const std::string& label = {});

// The summary that a run with these arguments prints; the number of moments is theirs.
std::string run_summary(const Report& report, const RunOptions& arguments, SummaryStyle style);

// Throws Error{kUsage} if the arguments ask for outputs that only the scoring of one video has: heatmaps,
// thresholds or a stream of scores. `is_judged`: the command passes or fails, and says so under --junit.
void refuse_run_flags(const RunOptions& arguments, const std::string& command, bool is_judged = false);

// One pass over the frames of the inputs with one backend: from paths to a report's data, without writing
// anything but heatmaps.

class ScoringRun {
 public:
  // Opens the inputs, settles what is computed, and makes the extractor: all that can be known before the
  // first frame is checked. Warnings go to `messages`, which outlives this.
  // The reference is `reference` if that is given, and opened here otherwise. Throws Error.
  ScoringRun(const RunOptions& options, Messages& messages, std::unique_ptr<FrameReader> reference = nullptr,
             Reading reading = Reading::kWhenScoring)
      : messages_(messages),
        settled_(settle_run(open_run(options, std::move(reference), messages), messages)),
        evaluation_(settled_, clock_, messages, reading, [options] { return reopened(options); }),
        judge_beginning_([options] { judge_beginning(options); }) {
    clock_.switch_to({});
  }

  // Reads and scores all frames. Ends early if it is stopped. Throws what reading and scoring throw, and
  // Error{kIncomplete} for videos of different lengths and RefusedPair for frames that are not each other's
  // under --strict; then scored() and report() have the frames before the failing one.
  void score(const RunWatcher& watcher) { evaluation_.score(watcher); }
  Report report() const { return report_run(settled_, evaluation_, messages_.warnings()); }

  // For a run that is a part of another: its findings go to `findings` as well, which outlives it, and
  // nothing is derived that needs the other parts. Call it before score(), which then throws RefusedPair if
  // the pairs of this part and the first ones of the whole run do not fit. Needs: RunOptions::part, or the
  // part is the whole run.
  void keep(PartFindings& findings) {
    evaluation_.keep(findings, settled_.options.compare_anyway ? nullptr : judge_beginning_);
  }

  const SettledRun& settled() const { return settled_; }
  RunPictures& pictures() { return evaluation_.pictures(); }
  // Frames that will be scored, as far as the containers tell.
  std::optional<int64_t> expected_frames() const { return settled_.reader->expected_frames(); }
  int64_t scored() const { return evaluation_.evaluator().scored(); }

 private:
  // In software, and without a word: all was said.
  static SettledRun reopened(RunOptions options) {
    options.hardware = {};
    options.hardware.decoder = DecoderRequest::kSoftware;
    options.backend = Backend::kCpu;
    options.device.clear();
    options.quiet = true;
    Messages silent([](std::string_view) {});
    return settle_run(open_run(options, nullptr, silent), silent);
  }

  // As the whole run would, by as many pairs as it takes to find a shift. What cannot be read there is left
  // to those who score it.
  static void judge_beginning(RunOptions options) {
    constexpr int64_t kFewestPairs = 480;
    options.part.reset();
    try {
      SettledRun run = reopened(std::move(options));
      RunRecord record(run.options, run.formats, execution_of(run));
      if (run.crop.crops_any()) record.ignore_bars();
      run.reader->on_pair([&record](const FramePair& pair) { record.look(pair); });
      const auto silent = [](const std::string&) {};
      while (run.reader->pairs_read() < kFewestPairs && run.reader->next()) record.judge_pairs(silent);
      record.judge_pairs(silent);
    } catch (const RefusedPair&) {
      throw;
    } catch (const Error&) {
    }
  }

  StageClock clock_{
      pace::kOpening};  // of the thread that scores; stands still while that does something else
  Messages& messages_;
  SettledRun settled_;
  RunEvaluation evaluation_;
  const std::function<void()> judge_beginning_;
};

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
