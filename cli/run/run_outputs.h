// What a scoring run writes: reports, pages, heatmaps, histograms and pictures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/inputs/run_options.h"
#include "cli/run/run_pictures.h"
#include "cli/system/messages.h"
#include "core/text/number_text.h"
#include "engine/evaluator.h"

namespace vq::cli {

// Checks that are possible before the inputs are opened. Throws as check_outputs(), and Error{kUsage} for
// flags that would have no effect on the outputs there are.
void check_run_outputs(const RunOptions& arguments);

// How one of the outputs is written.
ReportStyle report_style(const RunOptions& arguments, const OutputRequest& request);

class RunOutputs {
 public:
  // All three outlive this; `tell` is told of the pictures of pages. Throws Error{kUsage} where a raw heatmap
  // is the same file as an input or another output, or an output the folder of the heatmaps.
  RunOutputs(const RunOptions& arguments, RunPictures& pictures, Messages& messages, PicturesMade tell = {});

  // Whether there is anything besides what goes to standard output by itself.
  bool any() const;
  // Everything, or nothing; see commit_outputs(). Throws Error{kOutput}; then keep() can still be called.
  void write(const Report& report);
  // What there is of a run that ended early, or whose outputs could not be written, under the names of
  // partial files, which it returns. Never throws: a warning says what is lost.
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

}  // namespace vq::cli
