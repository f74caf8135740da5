#include "cli/run/ending.h"

#include <unistd.h>

#include "cli/inputs/remarks.h"
#include "cli/reports/compare_files.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/text.h"
#include "core/text_table.h"

namespace vq::cli {

std::vector<std::string> judge_report(Report& report, const RunOptions& arguments,
                                      const std::optional<Baseline>& baseline) {
  if (is_sample(report)) return {};
  report.run.thresholds = judge(arguments.thresholds, report, baseline ? &*baseline : nullptr);
  if (!baseline) return {};
  std::vector<std::string> remarks = remarks_on_baseline(*baseline, report);
  std::vector<std::string>& warnings = report.run.warnings;
  for (const std::string& remark : remarks) {
    if (!contains(warnings, remark)) warnings.push_back(remark);
  }
  return remarks;
}

std::optional<Baseline> baseline_of(const RunOptions& arguments) {
  if (!arguments.baseline) return std::nullopt;
  return read_baseline(*arguments.baseline, arguments.stop);
}

std::string crossed_line(const std::string& video, std::span<const ThresholdFacts> thresholds) {
  const std::string text = crossed_text(thresholds);
  return text.empty() ? text : words("{}: threshold crossed: {}", shown_path(video), text);
}

std::string unjudged_line(const std::string& video, std::span<const ThresholdFacts> thresholds) {
  const std::string text = unjudged_text(thresholds);
  if (text.empty()) return text;
  return words("{}: threshold not judged, as the scores are not comparable: {}", shown_path(video), text);
}

EndingOptions ending_options(const RunOptions& arguments, std::vector<std::string> files) {
  EndingOptions options{.junit = arguments.junit, .github = arguments.github, .quiet = arguments.quiet};
  options.files = files.empty() ? std::vector{arguments.distorted} : std::move(files);
  for (const std::optional<std::string>& input : {arguments.reference, arguments.baseline}) {
    if (input) options.other_inputs.push_back(*input);
  }
  for (const OutputRequest& output : arguments.outputs) options.outputs.push_back(output.path);
  if (arguments.stream_scores) options.outputs.emplace_back("-");
  for (const Threshold& threshold : arguments.thresholds) options.expressions.push_back(threshold.text);
  return options;
}

int Ending::run(const std::function<int()>& work) {
  try {
    return work();
  } catch (const ClosedPipe&) {
    throw;
  } catch (const RefusedPair& refusal) {
    write_failure(refusal.what(), unfit_suite);
    throw;
  } catch (const std::exception& error) {
    write_failure(interrupt_signal() != 0 ? "interrupted" : error.what(), failed_suite);
    throw;
  }
}

int Ending::fail(const std::string& message, int code) {
  messages_.error(message);
  write_failure(message, failed_suite);
  return code;
}

int Ending::refuse(const std::string& message) {
  messages_.error(message);
  write_failure(message, unfit_suite);
  return exit_code(ErrorKind::kMismatch);
}

bool Ending::is_free(const std::string& path) const {
  const auto is_it = [&](const std::string& other) {
    return same_file(path, is_standard_input(other) ? "/dev/stdin" : other);
  };
  const auto has = [&](const std::vector<std::string>& paths) { return std::ranges::any_of(paths, is_it); };
  return !has(options_.files) && !has(options_.outputs) && !has(options_.other_inputs);
}

template <typename MakeSuite>
void Ending::write_failure(const std::string& message, const MakeSuite& make_suite) {
  if (is_told_) return;
  const std::vector<std::string> files =
      options_.files.empty() ? std::vector<std::string>{""} : options_.files;
  for (const std::string& file : files) add_to_step(failure_markdown(file, message));
  if (!options_.junit || !is_free(*options_.junit)) return;
  std::vector<JunitSuite> suites;
  for (const std::string& file : files) suites.push_back(make_suite(file, message, options_.expressions));
  try {
    write_outputs(junit(suites));
  } catch (const Error& error) {
    messages_.warn(error.what());
  }
}

std::vector<OutputText> Ending::junit(std::span<const JunitSuite> suites) const {
  if (!options_.junit) return {};
  return {{*options_.junit, junit_xml(suites)}};
}

void Ending::write(std::vector<OutputText> outputs, std::span<const JunitSuite> suites,
                   std::string_view verb) {
  for (OutputText& text : junit(suites)) outputs.push_back(std::move(text));
  std::vector<OutputFile> files = write_outputs(outputs);
  wrote(written_lines(std::string(verb), pointers_to(files)));
}

void Ending::wrote(const std::vector<std::string>& lines) {
  is_told_ = true;
  written_.insert(written_.end(), lines.begin(), lines.end());
}

std::optional<int> Ending::place_for_people() const {
  std::vector<std::string> outputs = options_.outputs;
  if (options_.junit) outputs.push_back(*options_.junit);
  if (std::ranges::any_of(outputs, is_standard_output)) return STDERR_FILENO;
  // The program may have been started without a standard output.
  if (outputs.empty() || is_open_for_writing(STDOUT_FILENO)) return STDOUT_FILENO;
  return std::nullopt;
}

void Ending::show(const std::string& text, Text kind) {
  const auto name_files = [&] {
    for (const std::string& line : std::exchange(written_, {})) {
      if (!options_.quiet) messages_.note(line);
    }
  };
  const std::optional<int> place = place_for_people();
  try {
    if (place == STDERR_FILENO) write_stderr(without_commands(text));
    if (place == STDOUT_FILENO && !text.empty()) write_stdout(fit_text(text, stdout_width(), true));
  } catch (const ClosedPipe&) {
    if (kind == Text::kResult && options_.outputs.empty() && !options_.junit) throw;
  } catch (...) {
    name_files();
    throw;
  }
  name_files();
}

void Ending::add_to_step(const std::string& markdown) {
  if (!options_.github) return;
  try {
    append_step_summary(markdown);
  } catch (const Error& error) {
    messages_.warn(words("the summary of the step: {}", error.what()));
  }
}

void Ending::judged(const std::string& video, std::span<const ThresholdFacts> thresholds) {
  count(thresholds);
  for (const auto line_of : {unjudged_line, crossed_line}) {
    if (const std::string line = line_of(video, thresholds); !line.empty()) messages_.error(line);
  }
}

void Ending::count(std::span<const ThresholdFacts> thresholds) {
  for (const ThresholdFacts& threshold : thresholds) {
    lacks_verdict_ = lacks_verdict_ || !threshold.judged;
    crosses_ = crosses_ || threshold.crossed;
  }
}

void Ending::count_failed(ErrorKind kind) {
  if (!failed_) failed_ = exit_code(kind);
}

void Ending::differs(const std::string& line) {
  crosses_ = true;
  if (options_.github) write_stderr(words("{}\n", github_annotation("error", line)));
}

int Ending::code() const {
  if (failed_) return *failed_;
  if (lacks_verdict_) return exit_code(ErrorKind::kMismatch);
  return crosses_ ? exit_code(ErrorKind::kThreshold) : 0;
}

}  // namespace vq::cli
