#include "cli/commands/gate.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands/arguments.h"
#include "cli/commands/subcommand.h"
#include "cli/output/output_check.h"
#include "cli/output/output_file.h"
#include "cli/output/standard_streams.h"
#include "cli/output/written_lines.h"
#include "cli/run/progress.h"
#include "cli/run/run.h"
#include "cli/run/scoring_run.h"
#include "cli/system/interrupt.h"
#include "cli/text/argument_values.h"
#include "cli/text/message_text.h"
#include "cli/text/text_table.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr NumberStyle kExact = {NumberStyle::Kind::kShortest, 17};

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
      throw Error(ErrorKind::kUsage, "--backends names \"" + std::string(to_string(backend)) + "\" twice.");
    }
    backends.push_back(backend);
    start = comma + 1;
  }
  if (backends.size() < 2)
    throw Error(ErrorKind::kUsage, "--backends needs at least two, such as cpu,scalar.");
  return backends;
}

ScoreTable table_of(const Report& report, const std::string& name) {
  return parse_report(write_report(report, {ReportFormat::kJson, kExact, false}), name);
}

double worst_difference(const DiffResult& diff) {
  return diff.worst ? std::abs(*diff.worst->a - *diff.worst->b) : 0.0;
}

std::string where(const DiffResult& diff) {
  if (!diff.worst || worst_difference(diff) == 0) return "-";
  return place_of(*diff.worst) + " " + diff.worst->metric;
}

nlohmann::ordered_json entry_json(const GateEntry& entry) {
  nlohmann::ordered_json json = {{"backend", entry.backend},
                                 {"device", entry.device},
                                 {"driver", entry.driver},
                                 {"simd", entry.simd},
                                 {"frames", entry.frames},
                                 {"wall_seconds", entry.wall_seconds},
                                 {"compared", entry.diff.compared},
                                 {"different", entry.diff.different},
                                 {"worst_difference", worst_difference(entry.diff)}};
  if (entry.diff.worst) {
    const std::optional<int64_t>& frame = entry.diff.worst->frame;
    json["worst"] = {{"frame", frame ? nlohmann::ordered_json(*frame) : nullptr}, {"metric", entry.diff.worst->metric}};
  }
  return json;
}

// What a gate cannot do is refused before it scores anything.
// Each backend reads the videos again.
void refuse_standard_input(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!is_standard_input(input)) continue;
    throw Error(ErrorKind::kUsage, "gate reads a video more than once, and standard input (" +
                                       shown_path(input) + ") can be read only once. Try: a file");
  }
}

void check(const RunOptions& arguments) {
  refuse_run_flags(arguments, "gate");
  const bool has_backend = arguments.backend.has_value();
  if (has_backend || arguments.extended || arguments.precision || arguments.worst) {
    throw Error(ErrorKind::kUsage,
                has_backend ? "gate runs several backends: give them with --backends."
                            : "gate writes no scores, so --extended, --precision and --worst have no effect.");
  }
  const std::vector<std::string> inputs = input_paths(arguments);
  std::vector<std::string> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    if (output.format.value_or(ReportFormat::kJson) != ReportFormat::kJson) {
      throw Error(ErrorKind::kUsage, "gate writes its result as JSON only. Try: -o gate.json");
    }
    outputs.push_back(output.path);
  }
  refuse_standard_input(inputs);
  check_outputs(outputs, inputs);
}

}  // namespace

bool GateResult::passes() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const GateEntry& entry) { return entry.diff.same(); });
}

GateResult run_backends(const RunOptions& arguments, const std::vector<Backend>& backends, int places,
                        Messages& messages) {
  GateResult result;
  result.places = places;
  std::optional<ScoreTable> first;
  for (const Backend backend : backends) {
    RunOptions own = arguments;
    own.backend = backend;
    ScoringRun run(own, messages);
    Progress progress(progress_settings(own, run.expected_frames(), std::string(to_string(backend))),
                      {seconds_now, write_stderr, terminal_width});
    run.score({[&](double value) { progress.frame(value); },
               [&](const std::string& line) {
                 progress.clear();
                 messages.warn(line);
               }});
    progress.finish();
    if (interrupt_signal() != 0) throw Error(ErrorKind::kIncomplete, "interrupted");
    const Report report = run.report();
    const ScoreTable table = table_of(report, std::string(to_string(backend)));
    if (!first) first = table;
    result.entries.push_back({.backend = report.run.backend,
                              .device = report.run.device,
                              .driver = report.run.driver,
                              .simd = report.run.simd,
                              .frames = static_cast<int64_t>(report.frames.size()),
                              .wall_seconds = report.run.wall_seconds,
                              .diff = diff_reports(*first, table, places)});
  }
  return result;
}

std::string gate_text(const GateResult& result, size_t width) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table({{"backend", kLeft},
                   {"device", kLeft, 2},
                   {"frames"},
                   {"fps", TextColumn::Align::kRight, 1},
                   {"worst difference"},
                   {"where", kLeft}});
  for (const GateEntry& entry : result.entries) {
    const double fps = static_cast<double>(entry.frames) / std::max(entry.wall_seconds, 1e-6);
    table.add({entry.backend, entry.device.empty() ? "CPU (" + entry.simd + ")" : printable(entry.device),
               std::to_string(entry.frames), fixed_text(fps, 1),
               number_text(worst_difference(entry.diff), {NumberStyle::Kind::kSignificant, 3}),
               where(entry.diff)});
  }
  return table.text(width) + (result.passes() ? "pass: " : "FAIL: ") + std::to_string(result.places) +
         " decimal places" + (result.passes() ? "" : ", see the worst difference above") + "\n";
}

std::string gate_json(const GateResult& result) {
  nlohmann::ordered_json json = {
      {"version", CAMBI_VERSION}, {"places", result.places}, {"pass", result.passes()}};
  for (const GateEntry& entry : result.entries) json["backends"].push_back(entry_json(entry));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int run_gate(const ParsedWords& words, Messages& messages) {
  const std::string* const list = words.find("--backends");
  const std::vector<Backend> backends = parse_backends(list == nullptr ? kDefaultBackends : *list);
  const int places = places_of(words);
  const RunOptions arguments = run_options(words);
  check(arguments);
  const GateResult result = run_backends(arguments, backends, places, messages);
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : arguments.outputs) outputs.push_back({output.path, gate_json(result)});
  std::vector<OutputFile> files = write_outputs(outputs);
  if (!arguments.quiet) {
    write_for_people(gate_text(result, stdout_width()), outputs);
    tell_written("wrote", std::move(files), messages);
  }
  return result.passes() ? 0 : static_cast<int>(ErrorKind::kThreshold);
}

}  // namespace vq::cli
