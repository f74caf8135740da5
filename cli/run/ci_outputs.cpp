#include "cli/run/ci_outputs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/inputs/pair_remarks.h"
#include "cli/reports/junit.h"
#include "cli/reports/markdown.h"
#include "cli/system/exit_code.h"
#include "cli/system/github.h"
#include "cli/system/interrupt.h"
#include "cli/system/output_file.h"
#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text/message_text.h"
#include "engine/report/threshold.h"

namespace vq::cli {

namespace {

void add_to_step(const std::string& markdown, Messages& messages) {
  try {
    append_step_summary(markdown);
  } catch (const Error& error) {
    messages.warn(std::string("the summary of the step: ") + error.what());
  }
}

bool is_free(const std::string& path, const FailedWork& work) {
  const auto is_it = [&](const std::string& other) {
    return same_file(path, is_standard_input(other) ? "/dev/stdin" : other);
  };
  return std::none_of(work.files.begin(), work.files.end(), is_it) &&
         std::none_of(work.others.begin(), work.others.end(), is_it);
}

template <typename MakeSuite>
void tell_of_failure(const FailedWork& work, const std::string& message, const MakeSuite& make_suite,
                     Messages& messages) {
  const std::vector<std::string> files = work.files.empty() ? std::vector<std::string>{""} : work.files;
  if (work.github) {
    for (const std::string& file : files) add_to_step(failure_markdown(file, message), messages);
  }
  if (!work.junit || !is_free(*work.junit, work)) return;
  std::vector<JunitSuite> suites;
  for (const std::string& file : files) suites.push_back(make_suite(file, message, work.expressions));
  try {
    write_outputs({{*work.junit, junit_xml(suites)}});
  } catch (const Error& error) {
    messages.warn(error.what());
  }
}

}  // namespace

void add_step_summary(const RunOptions& arguments, const std::string& markdown, Messages& messages) {
  if (arguments.github) add_to_step(markdown, messages);
}

std::string unjudged_line(const std::string& video, std::span<const ThresholdFacts> thresholds) {
  return shown_path(video) +
         ": threshold not judged, as the scores are not comparable: " + unjudged_text(thresholds);
}

int tell_thresholds(const std::string& video, std::span<const ThresholdFacts> thresholds,
                    Messages& messages) {
  const std::string crossed = crossed_text(thresholds);
  const bool is_unjudged = !unjudged_text(thresholds).empty();
  if (is_unjudged) messages.error(unjudged_line(video, thresholds));
  if (!crossed.empty()) messages.error(shown_path(video) + ": threshold crossed: " + crossed);
  if (is_unjudged) return exit_code(ErrorKind::kMismatch);
  return crossed.empty() ? 0 : exit_code(ErrorKind::kThreshold);
}

FailedWork failed_work(const RunOptions& arguments, std::vector<std::string> files) {
  FailedWork work{.junit = arguments.junit, .github = arguments.github, .files = std::move(files)};
  if (work.files.empty()) work.files = {arguments.distorted};
  for (const std::optional<std::string>& input : {arguments.reference, arguments.baseline}) {
    if (input) work.others.push_back(*input);
  }
  for (const OutputRequest& output : arguments.outputs) work.others.push_back(output.path);
  for (const Threshold& threshold : arguments.thresholds) work.expressions.push_back(threshold.text);
  return work;
}

void report_failure_to_ci(const FailedWork& work, const std::string& message, Messages& messages) {
  tell_of_failure(work, message, failed_suite, messages);
}

void report_failure_to_ci(const RunOptions& arguments, const std::string& message, Messages& messages) {
  report_failure_to_ci(failed_work(arguments), message, messages);
}

void report_refusal_to_ci(const FailedWork& work, const std::string& message, Messages& messages) {
  tell_of_failure(work, message, unfit_suite, messages);
}

void report_exception_to_ci(const FailedWork& work, Messages& messages) {
  try {
    throw;
  } catch (const ClosedPipe&) {
  } catch (const RefusedPair& fault) {
    report_refusal_to_ci(work, fault.what(), messages);
  } catch (const std::exception& error) {
    report_failure_to_ci(work, interrupt_signal() != 0 ? "interrupted" : error.what(), messages);
  }
}

void report_to_ci(const std::optional<std::string>& junit, bool github, const CiVerdict& verdict,
                  Messages& messages) {
  if (junit) {
    write_outputs({{*junit, junit_xml(std::array{verdict.suite})}});
  }
  if (!github) return;
  add_to_step(verdict.markdown, messages);
  if (!verdict.failure.empty()) write_stderr(github_annotation("error", verdict.failure) + "\n");
}

}  // namespace vq::cli
