// What continuous integration is told beside the reports: JUnit XML and the summary of a step.
#pragma once

#include <string>

#include "cli/output/messages.h"
#include "cli/run/run_options.h"

namespace vq::cli {

// Adds to the summary of the step, where --github asks for it. That it cannot be written is a warning.
void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages);

// Says in both, as far as they are asked for, that the scoring of the video failed with this message.
// Whatever becomes of that is a warning, for what ended the run is the error to tell.
void tell_ci_of_failure(const RunOptions& arguments, const std::string& message, Messages& messages);

}  // namespace vq::cli
