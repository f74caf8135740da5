// A scoring run from open inputs to written reports.
#pragma once

#include "cli/arguments.h"
#include "cli/messages.h"

namespace vq::cli {

// Scores, writes the reports and prints the summary. Returns the exit code where that is not an error: 0, or
// 128 + signal after an interrupt. Throws Error; what was scored before it is then in FILE.partial.
int run_scoring(const Arguments& arguments, Messages& messages);

}  // namespace vq::cli
