#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "cli/output_path.h"
#include "cli/page_writer.h"
#include "cli/progress.h"
#include "cli/score_stream.h"
#include "cli/scoring_run.h"
#include "cli/summary.h"
#include "core/error.h"

namespace vq::cli {
namespace {

bool is_standard_input(const std::string& path) {
  return path == "-" || path == "/dev/stdin";
}

bool colour_on(int fd) {
  return wants_colour(isatty(fd) != 0, std::getenv("NO_COLOR"), std::getenv("TERM"));
}

// Everything about the outputs that can be known before the first frame.
void check_outputs(const Arguments& arguments) {
  std::vector<std::string> inputs = {arguments.distorted};
  if (arguments.reference) inputs.push_back(*arguments.reference);
  if (inputs.size() == 2 && is_standard_input(inputs[0]) && is_standard_input(inputs[1])) {
    throw Error(ErrorKind::kUsage, "both videos are standard input; only one can be.");
  }
  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    const std::string& path = arguments.outputs[i].path;
    const std::optional<std::string> partial = partial_path(path);
    for (const std::string& input : inputs) {
      const std::string file = is_standard_input(input) ? "/dev/stdin" : input;
      for (const std::string& output : {path, partial.value_or(path)}) {
        if (!same_file(output, file)) continue;
        throw Error(ErrorKind::kUsage,
                    "the output " + output + " is the same file as the input " + input + ".");
      }
    }
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(path, arguments.outputs[j].path)) continue;
      throw Error(ErrorKind::kUsage,
                  "the outputs " + arguments.outputs[j].path + " and " + path + " are the same file.");
    }
    check_writable(path);
  }
}

class Run {
 public:
  Run(const Arguments& arguments, Messages& messages)
      : arguments_(arguments), messages_(messages), scoring_(arguments, messages) {}

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
        watcher.row = [&](const ScoredRow& row) { write_stdout(score_line(row, arguments_.numbers)); };
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
    const Report report = scoring_.report();
    write_reports(report);
    return check_limits(report);
  }

 private:
  std::string text_of(const Report& report, ReportFormat format) const {
    if (format == ReportFormat::kHtml) return write_page(report, scoring_.page_pictures());
    return write_report(report, {.format = format,
                                 .numbers = arguments_.numbers,
                                 .extended = arguments_.extended,
                                 .worst = arguments_.worst.value_or(ReportStyle().worst)});
  }

  std::vector<OutputText> texts(const Report& report, bool partial) const {
    std::vector<OutputText> outputs;
    for (const OutputRequest& request : arguments_.outputs) {
      const std::optional<std::string> path = partial ? partial_path(request.path) : request.path;
      if (!path) continue;
      outputs.push_back({*path, text_of(report, request.format)});
    }
    return outputs;
  }

  void write_reports(const Report& report) {
    const std::vector<OutputText> outputs = texts(report, false);
    scoring_.commit_heatmaps();
    write_outputs(outputs);
    if (!arguments_.quiet) print_summary(report);
  }

  int check_limits(const Report& report) {
    const std::vector<std::string> crossed = crossed_thresholds(arguments_.fail_above, report);
    if (crossed.empty()) return 0;
    std::string line = "--fail-above: ";
    for (size_t i = 0; i < crossed.size(); ++i) line += (i > 0 ? "; " : "") + crossed[i];
    messages_.error(line);
    return static_cast<int>(ErrorKind::kThreshold);
  }

  // On standard output, unless a report or the stream of scores is there.
  void print_summary(const Report& report) const {
    const bool taken =
        arguments_.stream_scores ||
        std::any_of(arguments_.outputs.begin(), arguments_.outputs.end(),
                    [](const OutputRequest& request) { return is_standard_output(request.path); });
    const bool colour = colour_on(taken ? STDERR_FILENO : STDOUT_FILENO);
    const std::string summary =
        summary_text(report, {.colour = colour,
                              .notes = report.run.notes,
                              .worst = arguments_.worst.value_or(SummaryStyle().worst)});
    taken ? write_stderr(summary) : write_stdout(summary);
  }

  // What ended the run early is the error to tell, whatever becomes of this.
  void write_partial() {
    if (scoring_.scored() == 0) return;
    try {
      const std::vector<OutputText> outputs = texts(scoring_.report(), true);
      scoring_.commit_partial_heatmaps();
      write_outputs(outputs);
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

ProgressSettings progress_settings(const Arguments& arguments, std::optional<int64_t> total) {
  ProgressSettings settings;
  settings.form = resolve_progress_form(arguments.progress, isatty(STDERR_FILENO) != 0, arguments.quiet);
  settings.total = total;
  settings.colour = colour_on(STDERR_FILENO);
  return settings;
}

void refuse_run_outputs(const Arguments& arguments, const std::string& command) {
  const auto has_heatmaps = [](const FeatureRequest& request) { return !heatmap_folder(request).empty(); };
  const char* flag = arguments.stream_scores         ? "--stream-scores"
                     : !arguments.fail_above.empty() ? "--fail-above"
                     : std::any_of(arguments.features.begin(), arguments.features.end(), has_heatmaps)
                         ? "heatmaps"
                         : nullptr;
  if (flag == nullptr) return;
  throw Error(ErrorKind::kUsage,
              command + " has no " + flag + "; it belongs to the scoring of one video: cambi VIDEO.");
}

int run_scoring(const Arguments& arguments, Messages& messages) {
  check_outputs(arguments);
  return Run(arguments, messages).score();
}

}  // namespace vq::cli
