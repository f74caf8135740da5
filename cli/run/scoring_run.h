// One pass over the frames of the inputs with one backend: from paths to a report's data, without writing
// anything but heatmaps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
        evaluation_(settled_, clock_, messages, reading, [options] { return reopened(options); }) {
    clock_.switch_to({});
  }

  // Reads and scores all frames. Ends early if it is stopped. Throws what reading and scoring throw, and
  // Error{kIncomplete} for videos of different lengths and RefusedPair for frames that are not each other's
  // under --strict; then scored() and report() have the frames before the failing one.
  void score(const RunWatcher& watcher) { evaluation_.score(watcher); }
  Report report() const { return report_run(settled_, evaluation_, messages_.warnings()); }

  // For a run that is a part of another: its findings go to `findings` as well, which outlives it, and
  // nothing is derived that needs the other parts. Call it before score(). Needs: RunOptions::part, or the
  // part is the whole run.
  void keep(PartFindings& findings) { evaluation_.keep(findings); }

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

  StageClock clock_{
      pace::kOpening};  // of the thread that scores; stands still while that does something else
  Messages& messages_;
  SettledRun settled_;
  RunEvaluation evaluation_;
};

}  // namespace vq::cli
