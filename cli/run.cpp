#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "cli/byte_source.h"
#include "cli/interrupt.h"
#include "cli/output_check.h"
#include "cli/output_file.h"
#include "cli/output_path.h"
#include "cli/page_writer.h"
#include "cli/progress.h"
#include "cli/score_stream.h"
#include "cli/scoring_run.h"
#include "cli/summary.h"
#include "core/error.h"
#include "core/options.h"

namespace vq::cli {
namespace {

bool colour_on(int fd) {
  return wants_colour(isatty(fd) != 0, std::getenv("NO_COLOR"), std::getenv("TERM"));
}

std::vector<std::string> input_paths(const Arguments& arguments) {
  std::vector<std::string> paths = {arguments.distorted};
  if (arguments.reference) paths.push_back(*arguments.reference);
  return paths;
}

std::vector<std::string> output_paths(const Arguments& arguments) {
  std::vector<std::string> paths;
  for (const OutputRequest& output : arguments.outputs) paths.push_back(output.path);
  return paths;
}

bool has_standard_output(const std::vector<OutputText>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const OutputText& output) { return is_standard_output(output.path); });
}

// A line that GitHub's runner takes as a command.
std::string github_annotation(const std::string& text) {
  std::string line = "::error title=cambi::";
  for (const char c : text) line += c == '%' ? "%25" : std::string(1, c);
  return line + "\n";
}

class Run {
 public:
  Run(const Arguments& arguments, Messages& messages)
      : arguments_(arguments), messages_(messages), scoring_(arguments, messages) {
    std::vector<std::string> outputs = output_paths(arguments);
    const std::vector<std::string> heatmaps = scoring_.heatmap_paths();
    outputs.insert(outputs.end(), heatmaps.begin(), heatmaps.end());
    check_distinct(outputs, input_paths(arguments));
  }

  int score() {
    Progress progress(progress_settings(arguments_, scoring_.expected_frames()),
                      {seconds_now, write_stderr, terminal_width});
    const auto warn = [&](const std::string& line) {
      progress.clear();
      messages_.warn(line);
    };
    try {
      ScoringRun::Watcher watcher{[&](double value) { progress.frame(value); }, warn};
      if (arguments_.stream_scores) {
        watcher.row = [&](const ScoredRow& row) { write_stdout(score_line(row, numbers())); };
      }
      scoring_.score(watcher);
    } catch (...) {
      progress.finish();
      write_partial();
      throw;
    }
    progress.finish();
    if (interrupt_signal() != 0) {
      write_partial();
      messages_.error("interrupted after " + std::to_string(scoring_.scored()) + " frames");
      return interrupt_exit_code(interrupt_signal());
    }
    Report report = scoring_.report();
    report.run.thresholds = judge(arguments_.fail_above, report);
    const std::string crossed = crossed_text(report.run.thresholds);
    write_reports(report);
    if (crossed.empty()) return 0;
    tell_crossed(crossed);
    return static_cast<int>(ErrorKind::kThreshold);
  }

 private:
  NumberStyle numbers() const { return arguments_.precision.value_or(NumberStyle()); }

  std::string text_of(const Report& report, ReportFormat format) const {
    const ReportStyle style = {.format = format,
                               .numbers = numbers(),
                               .extended = arguments_.extended,
                               .worst = arguments_.worst.value_or(ReportStyle().worst)};
    if (format == ReportFormat::kHtml) return write_page(report, scoring_.page_pictures(), "", style);
    return write_report(report, style);
  }

  std::vector<OutputText> texts(const Report& report, bool partial) const {
    std::vector<OutputText> outputs;
    for (const OutputRequest& request : arguments_.outputs) {
      const std::optional<std::string> path = partial ? partial_path(request.path) : request.path;
      if (!path) continue;
      outputs.push_back({*path, text_of(report, request.format.value_or(ReportFormat::kXml))});
    }
    return outputs;
  }

  // Everything is complete beside its place, and printed, before the first file is renamed. From then on
  // nothing is left to fail but renaming.
  void write_reports(const Report& report) {
    std::vector<OutputText> outputs = texts(report, false);
    if (!arguments_.quiet) add_summary(report, outputs);
    scoring_.finish_heatmaps();
    std::vector<OutputFile> files = finish_outputs(outputs);
    for (OutputFile& file : files) file.commit();
    scoring_.commit_heatmaps();
  }

  void tell_crossed(const std::string& crossed) {
    const std::string line = printable(arguments_.distorted, 200) + ": threshold crossed: " + crossed;
    messages_.error(line);
    // Shown beside the step that failed.
    const char* const on_github = std::getenv("GITHUB_ACTIONS");
    if (on_github != nullptr && std::string_view(on_github) == "true") write_stderr(github_annotation(line));
  }

  // The stream of scores takes standard output as a report does.
  void add_summary(const Report& report, std::vector<OutputText>& outputs) const {
    const bool taken = arguments_.stream_scores || has_standard_output(outputs);
    const bool colour = colour_on(taken ? STDERR_FILENO : STDOUT_FILENO);
    const std::string summary =
        summary_text(report, {.colour = colour,
                              .notes = report.run.notes,
                              .worst = arguments_.worst.value_or(SummaryStyle().worst),
                              .width = taken ? 0 : stdout_width()});
    if (arguments_.stream_scores) return write_stderr(summary);
    add_for_people(summary, outputs);
  }

  // What ended the run early is the error to tell, whatever becomes of this.
  void write_partial() {
    if (scoring_.scored() == 0) return;
    try {
      const std::vector<OutputText> outputs = texts(scoring_.report(), true);
      scoring_.finish_partial_heatmaps();
      write_outputs(outputs);
      scoring_.commit_partial_heatmaps();
    } catch (const Error& error) {
      messages_.warn(std::string("the scores so far are lost: ") + error.what());
    } catch (const std::bad_alloc&) {
      write_stderr("cambi: warning: the scores so far are lost: out of memory\n");
    }
  }

  const Arguments& arguments_;
  Messages& messages_;
  ScoringRun scoring_;
};

}  // namespace

ProgressSettings progress_settings(const Arguments& arguments, std::optional<int64_t> total,
                                   const std::string& label) {
  constexpr size_t kLongestLabel = 30;
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  ProgressSettings settings;
  settings.form = resolve_progress_form(arguments.progress, is_terminal, arguments.quiet);
  settings.total = total;
  settings.colour = colour_on(STDERR_FILENO);
  settings.can_erase = wants_colour(is_terminal, nullptr, std::getenv("TERM"));
  settings.label = printable(label, kLongestLabel);
  return settings;
}

void add_for_people(const std::string& text, std::vector<OutputText>& outputs) {
  if (has_standard_output(outputs)) {
    write_stderr(text);
  } else if (outputs.empty() || standard_output_is_open()) {
    outputs.push_back({"/dev/stdout", text});
  }
}

void refuse_run_flags(const Arguments& arguments, const std::string& command) {
  const auto has_heatmaps = [](const FeatureRequest& request) { return !heatmap_folder(request).empty(); };
  const char* flag = arguments.stream_scores         ? "--stream-scores"
                     : !arguments.fail_above.empty() ? "--fail-above"
                     : std::any_of(arguments.features.begin(), arguments.features.end(), has_heatmaps)
                         ? "--heatmaps"
                         : nullptr;
  if (flag == nullptr) return;
  throw Error(ErrorKind::kUsage, command + " does not take " + flag + ". Score each video by itself: cambi VIDEO " +
                                     flag + " ...");
}

int run_scoring(const Arguments& arguments, Messages& messages) {
  if (arguments.reference && is_standard_input(arguments.distorted) &&
      is_standard_input(*arguments.reference)) {
    throw Error(ErrorKind::kUsage, "both videos are standard input; only one can be.");
  }
  check_outputs(output_paths(arguments), input_paths(arguments));
  return Run(arguments, messages).score();
}

}  // namespace vq::cli
