// What GitHub's runner reads from a step: lines that are commands, and a file for a summary in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace vq::cli {

// A line that the runner shows beside the step: "::error title=cambi::text", without a line end. `level`:
// "error", "warning" or "notice".
std::string github_annotation(std::string_view level, std::string_view text);

// The text as it may be printed in a step: there (GITHUB_ACTIONS is set) a line that begins with "::" is a
// command to the runner, blanks before it or not, and so is "##[" anywhere. Names of files may have both.
// Elsewhere it is the text itself.
std::string without_commands(std::string_view text);

// Appends to the summary of this step, the file that $GITHUB_STEP_SUMMARY names; without one nothing happens.
// Throws Error{kOutput}.
void append_step_summary(const std::string& markdown);

}  // namespace vq::cli
