// Outputs of a scoring run: reports, pages, heatmaps, histograms and pictures.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/inputs/run_options.h"
#include "cli/reports/ci_formats.h"
#include "cli/run/evaluate_run.h"
#include "cli/run/open_run.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/number_text.h"
#include "engine/evaluator.h"
#include "engine/report/report.h"

namespace vq::cli {

// Checks that are possible before the inputs are opened. Throws as check_outputs(), and Error{kUsage} for
// flags that would have no effect on the outputs there are.
void check_run_outputs(const RunOptions& arguments);

// How one of the outputs is written.
ReportStyle report_style(const RunOptions& arguments, const OutputRequest& request);

class RunOutputs {
 public:
  // The three references must outlive this; `tell` gets the pictures of pages. Throws Error{kUsage} if a raw
  // heatmap is the same file as an input or another output, or an output the folder of the heatmaps.
  RunOutputs(const RunOptions& arguments, RunPictures& pictures, Messages& messages, PicturesMade tell = {});

  // Whether there is anything besides what goes to standard output by itself.
  bool any() const;
  // Everything, or nothing; see commit_outputs(). Throws Error{kOutput}; then keep() can still be called.
  void write(const Report& report);
  // Saves what a run has that ended early, or whose outputs could not be written, in partial files, and
  // returns their names. Never throws: a warning says what is lost.
  std::vector<std::string> keep(const Report& report);
  // Names the files that were written, or kept.
  void tell();

 private:
  std::string text_of(const Report& report, const OutputRequest& request) const;
  void keep_files(const char* what, const std::function<std::vector<OutputFile*>()>& files,
                  std::vector<std::string>& kept);
  void note_written(const char* verb, const std::vector<OutputFile*>& files);

  const RunOptions& arguments_;
  RunPictures& pictures_;
  Messages& messages_;
  const PicturesMade tell_;
  std::vector<std::string> written_;  // lines to tell
};

// {"frameNum": 7, "timestamp": 0.28, "metrics": {"cambi": 1.5}} and a line end: the members of a frame in the
// extended report.
std::string score_line(const ScoredRow& row, const NumberStyle& numbers);

// Outputs for continuous integration beside the reports: JUnit XML and the summary of a step.

// Adds to the summary of the step if --github is set. A summary that cannot be written is a warning.
void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages);

// The line about thresholds that could not be judged. Needs: there are some.
std::string unjudged_line(const std::string& video, std::span<const ThresholdFacts> thresholds);

// Tells which thresholds of the video are crossed, and which could not be judged. Returns the exit code: that
// of a mismatch if one was not judged, that of a threshold if one is crossed, 0 otherwise.
int tell_thresholds(const std::string& video, std::span<const ThresholdFacts> thresholds, Messages& messages);

// The subject of a command that failed.
struct FailedWork {
  std::optional<std::string> junit;
  bool github = false;
  std::vector<std::string>
      files;  // as the user named them: a suite for each, or one without a name if there are none
  std::vector<std::string> others = {};  // inputs and outputs beside these, which must not be written over
  std::vector<std::string> expressions = {};  // of thresholds that nobody judged
};

// The work of a run; `files`: instead of its own video.
FailedWork failed_work(const RunOptions& arguments, std::vector<std::string> files = {});

// Says in both, as far as they are asked for, that the work failed with this message. Whatever becomes of
// that is a warning, for what ended the run is the error to tell. A file that is an input or another output
// as well is left alone.
void report_failure_to_ci(const FailedWork& work, const std::string& message, Messages& messages);
void report_failure_to_ci(const RunOptions& arguments, const std::string& message, Messages& messages);
// The same if the videos do not fit together.
void report_refusal_to_ci(const FailedWork& work, const std::string& message, Messages& messages);
// The same for the exception being handled, unless a reader left.
void report_exception_to_ci(const FailedWork& work, Messages& messages);

// How a command came out that passes or fails and scores nothing to be judged by thresholds.
struct CiVerdict {
  JunitSuite suite;
  std::string markdown;
  std::string failure;  // in a line; empty: it passed
};

// Writes the suite to `junit` if there is one, and for `github` the summary of the step and an annotation if
// it failed. Throws Error{kOutput}.
void report_to_ci(const std::optional<std::string>& junit, bool github, const CiVerdict& verdict,
                  Messages& messages);

// Last step of a run, and of a merge of its parts: the report of what was found.

// Time and memory that a run took, and what is known beside its scores and its record.
struct RunAccount {
  RunFacts facts;         // inputs, features, models, backend and device, crop, threads
  BackendReport backend;  // stages, bytes and numbers of frames
  PaceFacts pace;
  double wall_seconds = 0;
  bool is_complete = false;
  std::vector<std::string> warnings = {};
};

// `report` has the scores, as Evaluator gives them.
Report report_run(Report report, const RunRecord& record, RunAccount account);

// The report of a scoring run, complete or not. `warnings`: those that it gave.
Report report_run(const SettledRun& run, const RunEvaluation& evaluation,
                  const std::vector<std::string>& warnings);

}  // namespace vq::cli
