#include "cli/commands/subcommand.h"

#include "cli/commands/align_report.h"
#include "cli/commands/flag_setters.h"
#include "cli/inputs/input_kind.h"
#include "cli/run/run.h"
#include "cli/run/run_sandbox.h"
#include "cli/system/exit_code.h"
#include "cli/system/interrupt.h"
#include "cli/system/output_check.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "core/text/argument_values.h"

namespace vq::cli {
namespace {

constexpr int64_t kDefaultFrames = 1500;

SourceOptions source_of(const std::string& path, const std::optional<RawFormat>& raw, int stream) {
  if (!raw) check_is_video(path);
  check_read_twice(path, "align reads videos");
  SourceOptions options;
  options.path = path;
  options.raw = raw;
  options.stream = stream;
  options.stop = interrupt_token();
  return options;
}

PairSearch search_of(const ParsedArguments& words) {
  PairSearch search;
  search.frames = kDefaultFrames;
  if (const std::string* text = words.find("--window")) {
    search.window = static_cast<int>(int_value("--window", *text, {1, kMaxShiftWindow}));
  }
  if (const std::string* text = words.find("--frames"))
    search.frames = int_value("--frames", *text, {0, kMaxFrameNumber});
  CollectedFlags collected;
  for (const auto& [flag, text] : words.flags) {
    if (flag->set != nullptr) flag->set(collected, *flag, text);
  }
  const std::optional<RawFormat> raw = raw_format(collected);
  const int stream = collected.arguments.stream;
  search.reference =
      source_of(words.arguments[0], raw, collected.arguments.reference_stream.value_or(stream));
  search.distorted = source_of(words.arguments[1], raw, stream);
  return search;
}

// Both videos are decoded and compared on the CPU.
void enter_sandbox(const ParsedArguments& words, const std::vector<std::string>& outputs,
                   Messages& messages) {
  RunOptions options;
  options.sandbox = words.find("--sandbox") != nullptr;
  options.quiet = words.find("--quiet") != nullptr;
  options.backend = Backend::kCpu;
  enter_sandbox_of(options, {.read = words.arguments, .written = outputs}, messages);
}

std::vector<std::string> output_paths(const ParsedArguments& words) {
  if (const std::string* path = words.find("--output")) {
    if (path->empty()) throw Error(ErrorKind::kUsage, "--output: the path is empty.");
    return {*path};
  }
  return words.find("--json") != nullptr ? std::vector<std::string>{"-"} : std::vector<std::string>();
}

}  // namespace

int run_align(const ParsedArguments& words, Messages& messages) {
  const PairSearch search = search_of(words);
  const std::vector<std::string> paths = output_paths(words);
  check_outputs(paths, words.arguments);
  enter_sandbox(words, paths, messages);
  const PairFindings findings = search_pair(search);
  std::vector<OutputText> outputs;
  for (const std::string& path : paths) outputs.push_back({path, pair_json(findings)});
  std::vector<OutputFile> files = write_outputs(outputs);
  const bool is_quiet = words.find("--quiet") != nullptr;
  // What is the result is printed even under --quiet where it has no other place.
  if (!is_quiet || outputs.empty()) write_for_people(pair_text(findings), outputs);
  if (!is_quiet) tell_written("wrote", std::move(files), messages);
  return is_at_fault(verdict_of(findings)) ? exit_code(ErrorKind::kThreshold) : 0;
}

}  // namespace vq::cli
