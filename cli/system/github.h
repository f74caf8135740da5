// Output for GitHub Actions: lines that are commands to the runner, and a summary file in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace vq::cli {

// A line that the runner shows as an annotation: "::error title=cambi::text", without a line end. `level`:
// "error", "warning" or "notice".
std::string github_annotation(std::string_view level, std::string_view text);

// The text in a form that is safe to print in a step: there (GITHUB_ACTIONS is set) a line that begins with
// "::", after optional blanks, is a command to the runner, and so is "##[" anywhere. File names may contain
// both. Elsewhere the text is unchanged.
std::string without_commands(std::string_view text);

// Appends to the summary of this step, the file that $GITHUB_STEP_SUMMARY names; does nothing without one.
// Throws Error{kOutput}.
void append_step_summary(const std::string& markdown);

}  // namespace vq::cli
