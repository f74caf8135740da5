#include "cli/run/run.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/decoding/open_video.h"
#include "cli/inputs/feature_flags.h"
#include "cli/pictures/picture_tap.h"
#include "cli/reports/ci_formats.h"
#include "cli/run/ending.h"
#include "cli/run/sampled_run.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/trace.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"
#include "engine/report/scenes.h"

namespace vq::cli {
namespace {

bool colour_on(int fd) { return wants_colour(is_terminal(fd), std::getenv("NO_COLOR"), std::getenv("TERM")); }

// An extension that says nothing was perhaps meant to say something.
void note_formats(const std::vector<OutputRequest>& outputs, Messages& messages) {
  for (const OutputRequest& output : outputs) {
    if (output.format || is_written_in_place(output.path)) continue;
    if (!path_of(output.path).has_extension()) continue;
    messages.note(
        words("the report {} is XML, for its extension names no format; --json, --csv, --sub and --xml do.",
              shown_path(output.path)));
  }
}

class Run {
 public:
  Run(const RunOptions& arguments, Messages& messages, Ending& ending)
      : arguments_(arguments),
        messages_(messages),
        ending_(ending),
        baseline_(baseline_of(arguments)),
        scoring_(arguments, messages, nullptr,
                 arguments.confidence ? Reading::kWhenScoring : Reading::kAtOnce),
        making_pictures_(progress_settings(scoring_.settled().options, std::nullopt)),
        outputs_(scoring_.outputs()) {
    outputs_.on_picture([this](size_t made, size_t all) { making_pictures_.step("picture", made, all); });
    if (baseline_)
      check_baseline(arguments.thresholds, scoring_.settled().metrics(), scoring_.settled().models(),
                     *baseline_);
  }

  int score() {
    or_save_partial([this] { score_all(); });
    if (arguments_.stop.is_requested()) {
      save_partial();
      return ending_.fail(words("{}: interrupted after {}", shown_path(arguments_.distorted),
                                counted(scoring_.scored(), "frame")),
                          interrupt_exit_code(interrupt_signal()));
    }
    const Report report = judged();
    or_save_partial([&] {
      outputs_.write(report, ending_.junit(std::array{scored_suite(arguments_.distorted, report.run)}));
    });
    ending_.wrote(outputs_.take_lines());
    const std::optional<int> place = ending_.place_for_people();
    ending_.show(arguments_.quiet || !place ? "" : summary(report, *place),
                 wants_more_than_text() ? Ending::Text::kBesideResult : Ending::Text::kResult);
    ending_.add_to_step(run_markdown(arguments_.distorted, report));
    ending_.judged(arguments_.distorted, report.run.thresholds);
    return ending_.code();
  }

 private:
  // The report of all frames, with the thresholds.
  Report judged() {
    Report report = scoring_.report();
    if (sampled_) sampled_->complete(report);
    for (const std::string& remark : judge_report(report, arguments_, baseline_)) messages_.warn(remark);
    for (Metric& metric : report.metrics) {
      if (arguments_.is_vmaf) metric.model.clear();  // by which people would know it
    }
    return report;
  }

  // Any error but ClosedPipe is thrown on only after the partial results have been saved.
  template <typename Work>
  void or_save_partial(Work work) {
    try {
      work();
    } catch (const ClosedPipe&) {  // whoever asked for the results has left
      throw;
    } catch (...) {
      save_partial();
      throw;
    }
  }

  void score_all() {
    // How many frames a sample takes is not known before it is there.
    const std::optional<int64_t> all = scoring_.expected_frames();
    const RunOptions& settled = scoring_.settled().options;
    Progress progress(progress_settings(settled, arguments_.confidence ? std::nullopt : all), {}, &messages_);
    RunWatcher watcher{[&](double value) { progress.frame(value); }};
    watcher.note = [&](const std::string& text) {
      if (!arguments_.quiet) messages_.note(text);
    };
    if (arguments_.stream_scores) watcher.row = [this](const ScoredRow& row) { stream(row); };
    watcher.begins_again = [&] { progress.begin_again(all); };
    if (!arguments_.confidence) return scoring_.score(watcher);
    sampled_.emplace(arguments_, scoring_, messages_).answer(scoring_, watcher);
  }

  // A reader that leaves wants no more, but what else was asked for is still wanted.
  void stream(const ScoredRow& row) {
    if (reader_left_) return;
    try {
      write_stdout(score_line(row, arguments_.precision.value_or(NumberStyle())));
    } catch (const ClosedPipe&) {
      if (!wants_more_than_text()) throw;
      reader_left_ = true;
    }
  }

  bool wants_more_than_text() const { return outputs_.any() || !arguments_.thresholds.empty(); }

  std::string summary(const Report& report, int fd) const {
    SummaryStyle style{.colour = colour_on(fd),
                       .notes = report.run.notes,
                       .width = fd == STDOUT_FILENO ? stdout_width() : 0};
    std::erase_if(style.notes, [&, told = scoring_.settled().told](const std::string& note) {
      return !arguments_.is_vmaf && contains(told, note);
    });
    return run_summary(report, arguments_, std::move(style));
  }

  // For a run without the result that was asked for: what there is of it. What ended the run is the error to
  // tell, whatever becomes of this.
  void save_partial() {
    if (scoring_.scored() == 0) return;
    try {
      const Report report = scoring_.report();
      outputs_.write_partial(report);
      if (!arguments_.quiet) show_partial(report);
    } catch (const std::exception&) {
      write_stderr("cambi: warning: the scores so far are lost\n");
    }
  }

  void show_partial(const Report& report) {
    const std::optional<int64_t> expected = scoring_.expected_frames();
    std::string title = words("cambi: results of the first {}", report.frames.size());
    if (expected) title += words(" of {}", *expected);
    if (!report.run.complete) write_stderr(words("{} frames:\n", title));
    write_stderr(without_commands(summary(report, STDERR_FILENO)));
    for (const std::string& line : outputs_.take_lines()) messages_.note(line);
  }

  const RunOptions& arguments_;
  Messages& messages_;
  Ending& ending_;
  const std::optional<Baseline> baseline_;
  ScoringRun scoring_;
  StepProgress making_pictures_;
  RunOutputs& outputs_;
  bool reader_left_ = false;
  std::optional<SampledRun> sampled_;  // if a confidence was asked for, once scoring has begun
};

}  // namespace

ProgressSettings progress_settings(const RunOptions& arguments, std::optional<int64_t> total,
                                   const std::string& label) {
  constexpr size_t kLongestLabel = 30;
  const bool is_terminal = cli::is_terminal(STDERR_FILENO);
  ProgressSettings settings;
  settings.form = resolve_progress_form(arguments.progress, is_terminal, arguments.quiet);
  settings.total = total;
  settings.colour = colour_on(STDERR_FILENO);
  settings.can_erase = wants_colour(is_terminal, nullptr, std::getenv("TERM"));
  settings.label = printable(label, kLongestLabel);
  const std::vector<Metric> metrics = report_metrics(arguments.features, arguments.models);
  settings.metric = metric_info(metrics[leading_metric(metrics)]);
  return settings;
}

std::string run_summary(const Report& report, const RunOptions& arguments, SummaryStyle style) {
  style.worst = arguments.worst.value_or(style.worst);
  style.is_plain = arguments.is_vmaf;
  std::string text = summary_text(report, style);
  if (arguments.lists_scenes) text += scenes_text(report, style.width);
  if (!arguments.segments.empty()) text += segments_text(report, style.width);
  return text + thresholds_text(report.run.thresholds);
}

void refuse_feature_files(const RunOptions& arguments, const std::string& command) {
  for (const FeatureRequest& request : arguments.features) {
    const bool has_maps = !heatmap_folder(request).empty();
    if (!has_maps && histogram_path(request).empty()) continue;
    const FeatureFlag* const own = flag_for(*request.info, request.info->histogram_option);
    if (!has_maps && own == nullptr) continue;
    const std::string_view flag = has_maps ? "--heatmaps" : own->name;
    throw usage_error("{} does not take {}. Score each video separately: cambi VIDEO {} ...", command, flag,
                      flag);
  }
}

void check_json_run(const RunOptions& run, const std::string& command, std::string_view result) {
  refuse_feature_files(run, command);
  std::vector<std::string> inputs, outputs;
  for (const OutputRequest& output : run.outputs) {
    if (output.format.value_or(ReportFormat::kJson) != ReportFormat::kJson)
      throw usage_error("{} writes its {} as JSON only. Try: -o {}.json", command, result, command);
    outputs.push_back(output.path);
  }
  if (run.junit) outputs.push_back(*run.junit);
  if (!run.distorted.empty()) inputs = input_paths(run);
  refuse_standard_input(inputs, command);
  check_outputs(outputs, inputs);
}

int run_scoring(RunOptions arguments, Messages& messages) {
  Ending ending(messages, ending_options(arguments));
  return ending.run([&] {
    if (arguments.reference && is_standard_input(arguments.distorted) &&
        is_standard_input(*arguments.reference)) {
      throw usage_error("both videos are standard input; only one can be.");
    }
    if (arguments.baseline && is_standard_input(*arguments.baseline))
      throw usage_error("--baseline: standard input is for a video. Give a file.");
    check_run_outputs(arguments);
    enter_sandbox_of(arguments, {}, messages);
    if (!arguments.quiet) note_formats(arguments.outputs, messages);
    return traced(arguments.trace, [&] {
      auto run = std::make_unique<Run>(arguments, messages, ending);
      const int code = run->score();
      const TraceSpan span("close");
      run.reset();
      return code;
    });
  });
}

namespace {

namespace fs = std::filesystem;

// The file, or the folder in which the pictures of a sequence are looked for.
std::string place_of(const std::string& path) {
  std::error_code error;
  if (!names_sequence(path) || fs::is_directory(path_of(path), error)) return path;
  const size_t wildcard = path.find_first_of("*?[");
  return folder_of(path.substr(0, wildcard));
}

void add_inputs(const RunOptions& options, SandboxPaths& paths) {
  std::vector<std::string> videos = input_paths(options);
  videos.insert(videos.end(), paths.read.begin(), paths.read.end());
  for (std::string& video : videos) video = place_of(video);
  paths.read = std::move(videos);
  if (options.baseline) paths.read.push_back(*options.baseline);
  for (const model::ModelSpec& spec : options.model_specs) paths.read.push_back(spec.path);
}

void add_outputs(const RunOptions& options, SandboxPaths& paths) {
  for (const OutputPlace& place : output_places(options)) paths.written.push_back(place.path);
  for (const FeatureRequest& request : options.features) paths.folders.push_back(heatmap_folder(request));
  if (const char* const summary = std::getenv("GITHUB_STEP_SUMMARY"); options.github && summary != nullptr) {
    try {
      append_step_summary("");  // a file can only be allowed once it exists
    } catch (const Error&) {
      // Reported when it is written.
    }
    paths.appended.emplace_back(summary);
  }
  for (const std::string& folder : paths.folders) {
    std::error_code reported_when_it_is_used;
    if (!folder.empty()) fs::create_directories(path_of(folder), reported_when_it_is_used);
  }
}

}  // namespace

void enter_sandbox_of(RunOptions& options, SandboxPaths more, Messages& messages) {
  if (!options.sandbox) return;
  add_inputs(options, more);
  add_outputs(options, more);
  const bool on_host = options.backend == Backend::kCpu || options.backend == Backend::kScalar;
  more.devices = !on_host || options.hardware.decoder == DecoderRequest::kHardware;
  options.sandbox_layers = enter_sandbox(more);
  if (!options.quiet) messages.note(words("sandbox: {}", options.sandbox_layers));
}

int traced(const std::string& path, const std::function<int()>& work) {
  if (path.empty()) return work();
  const Timeline timeline;
  name_thread("main");
  int code = 0;
  try {
    const TraceSpan all("run");
    code = work();
  } catch (...) {
    try {
      write_outputs({{path, trace_json(timeline)}});
    } catch (const std::exception&) {  // told is what the work failed of
    }
    throw;
  }
  write_outputs({{path, trace_json(timeline)}});
  return code;
}

}  // namespace vq::cli
