#include "cli/run/ci_outputs.h"

#include <array>

#include "cli/output/github.h"
#include "cli/output/output_file.h"
#include "cli/reports/junit.h"
#include "cli/reports/markdown.h"
#include "core/error.h"

namespace vq::cli {

void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages) {
  if (!arguments.github) return;
  try {
    append_step_summary(markdown);
  } catch (const Error& error) {
    messages.warn(std::string("the summary of the step: ") + error.what());
  }
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

}  // namespace vq::cli
