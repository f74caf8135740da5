// The program behind `cambi bench`.
#include <algorithm>

#include "cli/bench/bench.h"
#include "cli/bench/bench_text.h"
#include "cli/commands/arguments.h"
#include "cli/commands/program.h"
#include "cli/run/run.h"
#include "cli/system/exit_code.h"
#include "cli/system/output_file.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int64_t kMostBenchFrames = 1'000'000;

// Of the flags that a run has, those that would make the figures others than those of whole frames in a row.
void check_bench(const RunOptions& run) {
  refuse_run_flags(run, "bench");
  const bool skips_by_time = run.skip_distorted_seconds || run.skip_reference_seconds;
  const char* const flag = skips_by_time               ? "--frame_skip_dist or --frame_skip_ref with a time"
                           : run.crop                  ? "--crop"
                           : run.reference_crop        ? "--crop-ref"
                           : run.align                 ? "--align"
                           : run.pairs_by_time         ? "--pair"
                           : run.start                 ? "--start"
                           : run.end                   ? "--end"
                           : run.sampling.every > 1    ? "--subsample"
                           : run.precision             ? "--precision"
                           : run.worst                 ? "--worst"
                           : run.heatmaps.page_quality ? "--page-pictures"
                           : run.extended              ? "--extended"
                           : run.github                ? "--github"
                                                       : nullptr;
  if (flag != nullptr) throw Error(ErrorKind::kUsage, words("bench does not take {}.", flag));
  std::vector<std::string> outputs;
  for (const OutputRequest& output : run.outputs) {
    if (output.format.value_or(ReportFormat::kJson) != ReportFormat::kJson) {
      throw Error(ErrorKind::kUsage, "bench writes its figures as JSON only. Try: -o bench.json");
    }
    outputs.push_back(output.path);
  }
  std::vector<std::string> inputs;
  if (!run.distorted.empty()) inputs = input_paths(run);
  for (const std::string& input : inputs) {
    if (!is_standard_input(input)) continue;
    throw Error(ErrorKind::kUsage, "bench reads a video more than once, and standard input (" +
                                       shown_path(input) + ") can be read only once. Try: a file");
  }
  check_outputs(outputs, inputs);
}

int64_t frames_of(const ParsedArguments& words, const RunOptions& run) {
  const std::string* const text = words.find("--frames");
  return text == nullptr ? run.frame_count : int_value("--frames", *text, {1, kMostBenchFrames});
}

BenchResult measure(const BenchRequest& request) {
  const ProgressPort port{seconds_now, write_stderr, terminal_width};
  const ProgressSettings settings = progress_settings(request.run, std::nullopt);
  StatusLine line(port, {.colour = settings.colour, .can_erase = settings.can_erase});
  return run_bench(request, [&](const std::string& what) {
    if (settings.form == ProgressForm::kBar) line.draw({{"measuring " + what}}, std::nullopt);
  });
}

void write(const BenchResult& result, const RunOptions& run, Messages& messages) {
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : run.outputs) outputs.push_back({output.path, bench_json(result)});
  std::vector<OutputFile> files = write_outputs(outputs);
  if (run.quiet && !outputs.empty()) return;
  write_for_people(bench_text(result, stdout_width()), outputs);
  tell_written("wrote", std::move(files), messages);
}

bool has_failed(const BenchResult& result) {
  const auto failed = [](const BenchBackend& backend) { return !backend.error.empty(); };
  return std::any_of(result.videos.begin(), result.videos.end(), [&](const BenchVideo& video) {
    return std::any_of(video.backends.begin(), video.backends.end(), failed);
  });
}

// Called by itself, it leaves help, version and the number of arguments to `cambi bench`.
int run_bench_command(std::string_view, const std::vector<std::string>& words, Messages& messages) {
  if (!is_external()) {
    std::vector<std::string> all = {"bench"};
    all.insert(all.end(), words.begin(), words.end());
    become_program("cambi", all);
  }
  constexpr Flag kOwn[] = {{.name = "--frames", .type = "N"}};
  const ParsedArguments parsed = parse_run_words(words, kOwn, "cambi bench");
  BenchRequest request;
  request.run = run_options_of_any(parsed);
  check_bench(request.run);
  request.time.frames = request.run.frame_count = frames_of(parsed, request.run);
  enter_sandbox_of(request.run, {}, messages);
  const BenchResult result = measure(request);
  const int signal = interrupt_signal();
  if (signal == 0 || !result.videos.empty()) write(result, request.run, messages);
  if (signal != 0) {
    messages.error("interrupted");
    return interrupt_exit_code(signal);
  }
  return has_failed(result) ? exit_code(ErrorKind::kBackend) : 0;
}

}  // namespace
}  // namespace vq::cli

int main(int argc, char** argv) {
  return vq::cli::run_program(argc, argv, vq::cli::run_bench_command);
}
