// Outputs of a scoring run: reports, pages, heatmaps, histograms and pictures.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/inputs/run_options.h"
#include "cli/run/evaluate_run.h"
#include "cli/run/open_run.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "core/number_text.h"
#include "engine/evaluator.h"
#include "engine/report/report.h"

namespace vq::cli {

// Checks that are possible before the inputs are opened. Throws as check_outputs(), and Error{kUsage} for
// flags that would have no effect on the outputs there are.
void check_run_outputs(const RunOptions& arguments);

// How one of the outputs is written.
ReportStyle report_style(const RunOptions& arguments, const OutputRequest& request);

// Writes the report of a video in all forms that are asked for.
class RunOutputs {
 public:
  // All references outlive this. `pictures`: of the video's frames, and `tell` gets those of pages; null if
  // scores are all that is known. Throws Error{kUsage} if a raw heatmap is the same file as an input or another
  // output, or an output the folder of the heatmaps.
  RunOutputs(const RunOptions& arguments, Messages& messages, RunPictures* pictures = nullptr,
             PicturesMade tell = {});

  // Whether there is anything besides what goes to standard output by itself.
  bool any() const;
  // Everything with these files beside it, or nothing; see commit_outputs(). Throws Error{kOutput}; then keep()
  // can still be called.
  void write(const Report& report, std::vector<OutputText> others = {});
  // Saves what a run has that ended early, or whose outputs could not be written, in partial files, and
  // returns their names. Never throws: a warning says what is lost.
  std::vector<std::string> keep(const Report& report);
  // The names of the files that were written, or kept, as of written_lines().
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

 private:
  OutputText text_of(const Report& report, const OutputRequest& request, const std::string& path) const;
  void keep_files(const char* what, const std::function<std::vector<OutputFile*>()>& files,
                  std::vector<std::string>& kept);
  void note_written(const char* verb, const std::vector<OutputFile*>& files);

  const RunOptions& arguments_;
  Messages& messages_;
  RunPictures* const pictures_;
  const PicturesMade tell_;
  std::vector<std::string> lines_;
};

// {"frameNum": 7, "timestamp": 0.28, "metrics": {"cambi": 1.5}} and a line end: the members of a frame in the
// extended report.
std::string score_line(const ScoredRow& row, const NumberStyle& numbers);

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
