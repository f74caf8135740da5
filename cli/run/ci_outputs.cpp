#include "cli/run/ci_outputs.h"

#include <array>

#include "cli/reports/junit.h"
#include "cli/reports/markdown.h"
#include "cli/system/github.h"
#include "cli/system/output_file.h"
#include "core/error.h"

namespace vq::cli {

namespace {

void add_to_step(const std::string& markdown, Messages& messages) {
  try {
    append_step_summary(markdown);
  } catch (const Error& error) {
    messages.warn(std::string("the summary of the step: ") + error.what());
  }
}

}  // namespace

void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages) {
  if (arguments.github) add_to_step(markdown, messages);
}

void tell_ci_of_failure(const RunOptions& arguments, const std::string& message, Messages& messages) {
  add_step_summary(arguments, failure_markdown(arguments.distorted, message), messages);
  if (!arguments.junit) return;
  std::vector<std::string> expressions;
  for (const Threshold& threshold : arguments.thresholds) expressions.push_back(threshold.text);
  try {
    write_outputs(
        {{*arguments.junit, junit_xml(std::array{failed_suite(arguments.distorted, message, expressions)})}});
  } catch (const Error& error) {
    messages.warn(error.what());
  }
}

void tell_ci(const std::optional<std::string>& junit, bool github, const CiVerdict& verdict,
             Messages& messages) {
  if (junit) {
    write_outputs({{*junit, junit_xml(std::array{verdict.suite})}});
  }
  if (!github) return;
  add_to_step(verdict.markdown, messages);
  if (!verdict.failure.empty()) write_stderr(github_annotation("error", verdict.failure) + "\n");
}

}  // namespace vq::cli
