// Outputs for continuous integration beside the reports: JUnit XML and the summary of a step.
#pragma once

#include <span>
#include <string>

#include "cli/inputs/run_options.h"
#include "cli/reports/junit.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Adds to the summary of the step if --github is set. A summary that cannot be written is a warning.
void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages);

// The line about thresholds that could not be judged. Needs: there are some.
std::string unjudged_line(const std::string& video, std::span<const ThresholdFacts> thresholds);

// Tells which thresholds of the video are crossed, and which could not be judged. Returns the exit code: that
// of a mismatch where one was not judged, that of a threshold where one is crossed, 0 otherwise.
int tell_thresholds(const std::string& video, std::span<const ThresholdFacts> thresholds, Messages& messages);

// What a command that failed was about.
struct FailedWork {
  std::optional<std::string> junit;
  bool github = false;
  std::vector<std::string>
      files;  // as the user named them: a suite for each, or one without a name where there are none
  std::vector<std::string> others = {};  // inputs and outputs beside these, which must not be written over
  std::vector<std::string> expressions = {};  // of thresholds that nobody judged
};

// Of a run; `files`: instead of its own video.
FailedWork failed_work(const RunOptions& arguments, std::vector<std::string> files = {});

// Says in both, as far as they are asked for, that the work failed with this message. Whatever becomes of
// that is a warning, for what ended the run is the error to tell. A file that is an input or another output
// as well is left alone.
void report_failure_to_ci(const FailedWork& work, const std::string& message, Messages& messages);
void report_failure_to_ci(const RunOptions& arguments, const std::string& message, Messages& messages);
// The same where the videos do not fit together.
void report_refusal_to_ci(const FailedWork& work, const std::string& message, Messages& messages);
// The same for the exception being handled, unless a reader left.
void report_exception_to_ci(const FailedWork& work, Messages& messages);

// How a command came out that passes or fails and scores nothing to be judged by thresholds.
struct CiVerdict {
  JunitSuite suite;
  std::string markdown;
  std::string failure;  // in a line; empty: it passed
};

// Writes the suite to `junit` where there is one, and for `github` the summary of the step and an annotation
// where it failed. Throws Error{kOutput}.
void report_to_ci(const std::optional<std::string>& junit, bool github, const CiVerdict& verdict,
                  Messages& messages);

}  // namespace vq::cli
