// What continuous integration is told beside the reports: JUnit XML and the summary of a step.
#pragma once

#include <string>

#include "cli/reports/junit.h"
#include "cli/run/run_options.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Adds to the summary of the step, where --github asks for it. That it cannot be written is a warning.
void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages);

// Says in both, as far as they are asked for, that the scoring of the video failed with this message.
// Whatever becomes of that is a warning, for what ended the run is the error to tell.
void tell_ci_of_failure(const RunOptions& arguments, const std::string& message, Messages& messages);

// How a command came out that passes or fails and scores nothing to be judged by thresholds.
struct CiVerdict {
  JunitSuite suite;
  std::string markdown;
  std::string failure;  // in a line; empty: it passed
};

// Writes the suite to `junit` where there is one, and for `github` the summary of the step and an annotation
// where it failed. Throws Error{kOutput}.
void tell_ci(const std::optional<std::string>& junit, bool github, const CiVerdict& verdict,
             Messages& messages);

}  // namespace vq::cli
