// A scoring run from open inputs to written reports.
#pragma once

#include "cli/arguments.h"
#include "cli/messages.h"
#include "cli/progress.h"

namespace vq::cli {

// Scores, writes the reports and prints the summary. Returns the exit code where that is not an error: 0, or
// 128 + signal after an interrupt. Throws Error; what was scored before it is then in FILE.partial.
int run_scoring(const Arguments& arguments, Messages& messages);

// How a run with these arguments shows its progress; `total` frames where known.
ProgressSettings progress_settings(const Arguments& arguments, std::optional<int64_t> total);

// Throws Error{kUsage} where the arguments ask for what only the scoring of one video gives:
// heatmaps, limits or a stream of scores.
void refuse_run_outputs(const Arguments& arguments, const std::string& command);

}  // namespace vq::cli
