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
    const std::string crossed = crossed_limits(report);
    write_reports(report);
    if (crossed.empty()) return 0;
    messages_.error(crossed);
    return static_cast<int>(ErrorKind::kThreshold);
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

  // The message of --fail-above, empty where no limit is crossed.
  std::string crossed_limits(const Report& report) const {
    std::string line;
    for (const std::string& crossed : crossed_thresholds(arguments_.fail_above, report)) {
      line += (line.empty() ? "--fail-above: " : "; ") + crossed;
    }
    return line;
  }

  // On standard output, unless a report or the stream of scores is there. Where there is none, reports are
  // all that was wanted.
  void add_summary(const Report& report, std::vector<OutputText>& outputs) const {
    const std::vector<std::string> paths = output_paths(arguments_);
    const bool taken =
        arguments_.stream_scores || std::any_of(paths.begin(), paths.end(), is_standard_output);
    const bool colour = colour_on(taken ? STDERR_FILENO : STDOUT_FILENO);
    const std::string summary =
        summary_text(report, {.colour = colour,
                              .notes = report.run.notes,
                              .worst = arguments_.worst.value_or(SummaryStyle().worst)});
    if (taken) {
      write_stderr(summary);
    } else if (outputs.empty() || standard_output_is_open()) {
      outputs.push_back({"/dev/stdout", summary});
    }
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
  if (arguments.reference && is_standard_input(arguments.distorted) &&
      is_standard_input(*arguments.reference)) {
    throw Error(ErrorKind::kUsage, "both videos are standard input; only one can be.");
  }
  check_outputs(output_paths(arguments), input_paths(arguments));
  return Run(arguments, messages).score();
}

}  // namespace vq::cli
