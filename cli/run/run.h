// A scoring run from its command line to written reports, and what other commands share with it.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/reports/summary.h"
#include "cli/run/scoring_run.h"
#include "cli/sandbox/sandbox.h"
#include "cli/system/messages.h"
#include "cli/system/progress.h"

namespace vq::cli {

// Scores, writes the reports and prints the summary. Returns the exit code: Ending::code(), or 128 + signal
// after an interrupt. Throws Error; the scores before it are then in FILE.partial.
int run_scoring(RunOptions arguments, Messages& messages);

// How a run with these arguments shows its progress; `total` frames if known; `label` says what is scored, if
// that is one of several.
ProgressSettings progress_settings(const RunOptions& arguments, std::optional<int64_t> total,
                                   const std::string& label = {});

std::string run_summary(const Report& report, const RunOptions& arguments, SummaryStyle style);

// Throws Error{kUsage} if a feature is to write files, which only the scoring of one video does.
void refuse_feature_files(const RunOptions& arguments, const std::string& command);
// Throws Error{kUsage} for what a command does not do that reads its inputs several times and writes its own
// result in place of reports.
void check_json_run(const RunOptions& run, const std::string& command, std::string_view result);

// Confines the process, if the options ask for it, to what a run with these options reads and writes and to
// what `more` says, and notes which layers hold, for the report as well. Call it once, when the command line
// is known and before any video is opened or a thread is started; folders of outputs that do not exist are
// made. `more.devices` is not used. Throws as enter_sandbox().
void enter_sandbox_of(RunOptions& options, SandboxPaths more, Messages& messages);

// Does the work, and writes a timeline of it to `path`; without a path, only the work. The file is written
// after everything the work used is gone, also if it throws; then its exception is the one to tell. Returns
// the work's exit code. Throws Error{kOutput}.
int traced(const std::string& path, const std::function<int()>& work);

}  // namespace vq::cli
