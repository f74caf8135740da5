#include <algorithm>
#include <array>
#include <vector>

#include "cli/commands/arguments.h"
#include "cli/commands/subcommand.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/diff.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// The cross-backend gate: the same run on several backends, one after the other.

// Scores the inputs once on each backend. Throws Error as a scoring run does: a gate never leaves a backend
// out.
GateResult run_backends(const RunOptions& arguments, const std::vector<Backend>& backends, int places,
                        Messages& messages) {
  GateResult result;
  result.places = places;
  std::optional<Report> first;
  for (const Backend backend : backends) {
    const std::string name(to_string(backend)), first_name(to_string(backends.front()));
    RunOptions own = arguments;
    own.backend = backend;
    // The first tells of a pair that is not aligned.
    if (first && !own.align) own.align = AlignRequest();
    ScoringRun run(own, messages);
    Progress progress(progress_settings(own, run.expected_frames(), name), {}, &messages);
    run.score({[&](double value) { progress.frame(value); }});
    progress.finish();
    if (own.stop.is_requested()) throw Error(ErrorKind::kIncomplete, "interrupted");
    const Report report = run.report();
    if (!first) first = report;
    std::vector<std::string> decoders;
    for (const InputFacts& input : report.run.inputs) decoders.push_back(input.decoder);
    result.entries.push_back({.backend = report.run.backend,
                              .device = report.run.device,
                              .driver = report.run.driver,
                              .simd = report.run.simd,
                              .decoders = std::move(decoders),
                              .frames = static_cast<int64_t>(report.frames.size()),
                              .wall_seconds = report.run.wall_seconds,
                              .diff = diff_reports({first_name, *first}, {name, report}, places)});
  }
  return result;
}

constexpr const char* kDefaultBackends = "cpu,hybrid,vulkan";

std::vector<Backend> parse_backends(const std::string& text) {
  constexpr Backend kAll[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};
  std::vector<std::string> names;
  for (const Backend backend : kAll) names.emplace_back(to_string(backend));
  std::vector<Backend> backends;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const Backend backend = kAll[choice_value("--backends", text.substr(start, comma - start), names)];
    if (std::find(backends.begin(), backends.end(), backend) != backends.end()) {
      throw Error(ErrorKind::kUsage, words("--backends names \"{}\" twice.", to_string(backend)));
    }
    backends.push_back(backend);
    start = comma + 1;
  }
  if (backends.size() < 2)
    throw Error(ErrorKind::kUsage, "--backends needs at least two, such as cpu,scalar.");
  return backends;
}

// Refuses what a gate cannot do before anything is scored.
void check_gate(const RunOptions& arguments) {
  refuse_feature_files(arguments, "selftest");
  if (arguments.backend)
    throw Error(ErrorKind::kUsage, "selftest runs several backends: give them with --backends.");
  const std::vector<std::string> inputs = input_paths(arguments);
  std::vector<std::string> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    if (output.format.value_or(ReportFormat::kJson) != ReportFormat::kJson) {
      throw Error(ErrorKind::kUsage, "selftest writes its result as JSON only. Try: -o selftest.json");
    }
    outputs.push_back(output.path);
  }
  if (arguments.junit) outputs.push_back(*arguments.junit);
  refuse_standard_input(inputs, "selftest");
  check_outputs(outputs, inputs);
}

}  // namespace

int run_gate(const ParsedArguments& typed, Messages& messages) {
  const std::vector<Backend> backends = parse_backends(typed.text("--backends").value_or(kDefaultBackends));
  const int places = static_cast<int>(typed.number("--places", {0, kAllPlaces}, kAllPlaces));
  RunOptions arguments = run_options(typed);
  Ending ending(messages, ending_options(arguments));
  return ending.run([&] {
    check_gate(arguments);
    enter_sandbox_of(arguments, {}, messages);
    const GateResult result = run_backends(arguments, backends, places, messages);
    const std::string& video = arguments.distorted;
    std::vector<OutputText> outputs;
    for (const OutputRequest& output : arguments.outputs) outputs.push_back({output.path, gate_json(result)});
    ending.write(std::move(outputs), std::array{gate_suite(video, result)});
    ending.add_to_step(markdown_heading(video) + markdown_table(gate_table(result)) + "\n");
    if (!result.passes()) ending.differs(words("{}: a backend differs", shown_path(video)));
    ending.show(arguments.quiet ? "" : gate_text(result, stdout_width()));
    return ending.code();
  });
}

}  // namespace vq::cli
