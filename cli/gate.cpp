#include "cli/gate.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/argument_values.h"
#include "cli/byte_source.h"
#include "cli/flag_parser.h"
#include "cli/interrupt.h"
#include "cli/output_check.h"
#include "cli/output_file.h"
#include "cli/run.h"
#include "cli/scoring_run.h"
#include "core/error.h"

namespace vq::cli {
namespace {

constexpr NumberStyle kExact = {NumberStyle::Kind::kShortest, 17};

constexpr const char* kDefaultBackends = "cpu,hybrid,vulkan";
constexpr const char* kUsage =
    "cambi gate -r REF -d DIST [--backends cpu,hybrid,vulkan] [--places 4] [-o FILE.json] [flags]\n\n"
    "Scores on each of the backends (scalar is one as well) and compares every metric of every frame with the\n"
    "first one's. Exit code 7 where one differs in the decimal places; 4 where a backend is not available.\n"
    "--device, --feature and the other flags of a run: see cambi --help.\n";

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
  return "frame " + std::to_string(diff.worst->frame) + " " + diff.worst->metric;
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
    json["worst"] = {{"frame", entry.diff.worst->frame}, {"metric", entry.diff.worst->metric}};
  }
  return json;
}

}  // namespace

bool GateResult::passes() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const GateEntry& entry) { return entry.diff.same(); });
}

GateResult run_backends(const Arguments& arguments, const std::vector<Backend>& backends, int places,
                        Messages& messages) {
  GateResult result;
  result.places = places;
  std::optional<ScoreTable> first;
  for (const Backend backend : backends) {
    Arguments own = arguments;
    own.backend = backend;
    ScoringRun run(own, messages);
    run.score({[](double) {}, [&](const std::string& line) { messages.warn(line); }});
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

std::string gate_text(const GateResult& result) {
  std::vector<std::array<std::string, 6>> rows = {
      {"backend", "device", "frames", "fps", "worst difference", "where"}};
  for (const GateEntry& entry : result.entries) {
    const double fps = static_cast<double>(entry.frames) / std::max(entry.wall_seconds, 1e-6);
    rows.push_back({entry.backend, entry.device.empty() ? "CPU (" + entry.simd + ")" : entry.device,
                    std::to_string(entry.frames), fixed_text(fps, 1),
                    number_text(worst_difference(entry.diff), {NumberStyle::Kind::kSignificant, 3}),
                    where(entry.diff)});
  }
  std::array<size_t, 6> widths = {};
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + "\n";
  }
  return text + (result.passes() ? "pass" : "FAIL") + ": " + std::to_string(result.places) +
         " decimal places\n";
}

std::string gate_json(const GateResult& result) {
  nlohmann::ordered_json json = {
      {"version", CAMBI_VERSION}, {"places", result.places}, {"pass", result.passes()}};
  for (const GateEntry& entry : result.entries) json["backends"].push_back(entry_json(entry));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int run_gate(const std::vector<std::string>& words, Messages& messages) {
  std::vector<std::string> rest = words;
  const std::vector<Backend> backends = parse_backends(take_flag(rest, "--backends", kDefaultBackends));
  const std::string places_text = take_flag(rest, "--places", std::to_string(kDefaultPlaces));
  const int places = static_cast<int>(int_value("--places", places_text, {0, 17}));
  const std::variant<Arguments, TextRequest> parsed = parse_arguments(rest);
  if (const TextRequest* request = std::get_if<TextRequest>(&parsed)) {
    write_stdout(request->is_help ? kUsage : request->text);
    return 0;
  }
  const Arguments& arguments = std::get<Arguments>(parsed);
  refuse_run_outputs(arguments, "gate");
  std::vector<std::string> inputs = {arguments.distorted}, output_paths;
  if (arguments.reference) inputs.push_back(*arguments.reference);
  for (const OutputRequest& output : arguments.outputs) output_paths.push_back(output.path);
  refuse_standard_input("gate", inputs);
  check_outputs(output_paths, inputs);
  const GateResult result = run_backends(arguments, backends, places, messages);
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : arguments.outputs) outputs.push_back({output.path, gate_json(result)});
  if (!arguments.quiet) outputs.push_back({"/dev/stdout", gate_text(result)});
  write_outputs(outputs);
  return result.passes() ? 0 : static_cast<int>(ErrorKind::kThreshold);
}

}  // namespace vq::cli
