// A scoring run from open inputs to written reports.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/reports/summary.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/progress.h"

namespace vq::cli {

// Scores, writes the reports and prints the summary. Returns the exit code where that is not an error: 0, or
// 128 + signal after an interrupt. Throws Error; the scores before it are then in FILE.partial.
int run_scoring(RunOptions arguments, Messages& messages);

// How a run with these arguments shows its progress; `total` frames where known; `label` says what is scored,
// where that is one of several.
ProgressSettings progress_settings(const RunOptions& arguments, std::optional<int64_t> total,
                                   const std::string& label = {});

// The summary that a run with these arguments prints; the number of moments is theirs.
std::string run_summary(const Report& report, const RunOptions& arguments, SummaryStyle style);

// Throws Error{kUsage} if the arguments ask for outputs that only the scoring of one video has: heatmaps,
// thresholds or a stream of scores. `is_judged`: the command passes or fails, and says so under --junit.
void refuse_run_flags(const RunOptions& arguments, const std::string& command, bool is_judged = false);

// Writes what is for people to read, after the outputs were written: to standard output, but to standard
// error where one of the outputs is there, and nowhere where nobody reads standard output and something else
// was asked for. Throws as write_stdout().
void write_for_people(const std::string& text, const std::vector<OutputText>& outputs);

// The same where there is a result beside the text, such as files or an exit code: a reader that leaves
// changes nothing.
void show_beside_result(const std::string& text, const std::vector<OutputText>& outputs);

}  // namespace vq::cli
