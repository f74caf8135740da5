// One pass over the frames of the inputs with one backend: from paths to a report's data, without writing
// anything but heatmaps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/pair_remarks.h"
#include "cli/run/evaluate_run.h"
#include "cli/run/open_run.h"
#include "cli/run/report_run.h"
#include "cli/run/settle_run.h"

namespace vq::cli {

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
    constexpr int64_t kPairs = 480;
    options.part.reset();
    try {
      SettledRun run = reopened(std::move(options));
      RunRecord record(run.options, run.formats, execution_of(run));
      if (run.crop.crops_any()) record.ignore_bars();
      run.reader->on_pair([&record](const FramePair& pair) { record.look(pair); });
      const auto silent = [](const std::string&) {};
      while (run.reader->pairs_read() < kPairs && run.reader->next()) record.judge_pairs(silent);
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

}  // namespace vq::cli
