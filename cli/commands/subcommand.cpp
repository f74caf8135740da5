#include "cli/commands/subcommand.h"
#include "cli/commands/device_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/feature_spec.h"
#include "cli/commands/help.h"
#include "cli/inputs/run_inputs.h"
#include "cli/reports/diff.h"
#include "cli/reports/markdown.h"
#include "cli/reports/report_file.h"
#include "cli/run/ci_outputs.h"
#include "cli/run/run.h"
#include "cli/system/exit_code.h"
#include "cli/system/interrupt.h"
#include "cli/system/machine_memory.h"
#include "cli/system/messages.h"
#include "cli/system/output_check.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text/argument_values.h"
#include "core/text/fit_text.h"
#include "core/text/text_table.h"
#include "engine/models/built_in.h"
#include "engine/models/catalogue.h"
#include "engine/report/json_text.h"
#include "feature/registry.h"
#include "feature/simd_targets.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

std::string machine_json() {
  nlohmann::ordered_json json = {{"cores", thread_count({})},
                                 {"memory_bytes", default_memory_limit()},
                                 {"devices", nlohmann::ordered_json::array()}};
  for (const vulkan::DeviceInfo& device : vulkan::list_devices().devices) {
    json["devices"].push_back({{"index", device.index},
                               {"name", device.name},
                               {"type", to_string(device.type)},
                               {"memory_bytes", device.memory_bytes},
                               {"usable", device.unusable.empty()}});
  }
  return json_file_text(json);
}

std::string all_features(size_t width) {
  std::string text =
      feature_list(width) + "Instruction sets of this CPU, best first (--cpumask restricts them):";
  for (const SimdTarget& target : allowed_simd_targets(0)) text += " " + std::string(target.name);
  return text + "\nThe options and flags of a feature: cambi features NAME\n";
}

std::string option_table(const FeatureInfo& info, size_t width) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table({{"option", kLeft},
                   {"alias", kLeft, 3},
                   {"default", kLeft, 1},
                   {"range", kLeft, 2},
                   {"meaning", kLeft, 0, 0, true}});
  for (const OptionSpec& spec : info.options) {
    if (!spec.in_exact_form) continue;
    const std::string default_text = spec.default_text_form();
    table.add({std::string(spec.name), spec.alias.empty() ? "-" : std::string(spec.alias),
               default_text.empty() ? "-" : default_text, spec.range_text(), std::string(spec.help)});
  }
  std::string text = std::string(info.name) + ": " + std::string(info.summary) + "\n\n" + table.text(width);
  return text + flags_of_feature(info, width) + "\nUse: --feature " + std::string(info.name) +
         "=option=value:option=value\n" +
         "Metric names carry the alias and value of every option that is not at its default.\n";
}

CiVerdict verdict_of(const DiffResult& result) {
  std::string line = diff_text(result);
  line.erase(line.find('\n'));
  CiVerdict verdict{
      .suite = {.name = result.name_b, .seconds = 0, .cases = {{.name = "equals " + result.name_a}}},
      .markdown = markdown_heading(result.name_b) + markdown_paragraph(line),
      .failure = {}};
  if (result.same()) return verdict;
  verdict.failure = line;
  verdict.suite.cases[0].outcome = JunitCase::Outcome::kFailed;
  verdict.suite.cases[0].message = line;
  return verdict;
}

}  // namespace

int run_devices(const ParsedArguments& words, Messages&) {
  if (words.find("--json") != nullptr) {
    write_stdout(machine_json());
    return 0;
  }
  write_stdout(fit_text(device_table(stdout_width()), stdout_width()));
  return 0;
}

int run_features(const ParsedArguments& words, Messages&) {
  const size_t width = stdout_width();
  const std::string text =
      words.arguments.empty() ? all_features(width) : option_table(named_feature(words.arguments[0]), width);
  write_stdout(fit_text(text, width));
  return 0;
}

int run_models(const ParsedArguments& words, Messages&) {
  if (words.find("--licence") != nullptr) {
    write_stdout(std::string(model::models_licence()));
    return 0;
  }
  const size_t width = stdout_width();
  write_stdout(fit_text(model::catalogue_table(width) +
                            "\nlines: of the display; distance: of the viewer, in heights of the picture.\n"
                            "Use: cambi -r REFERENCE -d DISTORTED --model version=NAME, or --model auto\n",
                        width));
  return 0;
}

int run_diff(const ParsedArguments& words, Messages& messages) {
  const int places = places_of(words, kDefaultPlaces);
  const std::string &a = words.arguments[0], &b = words.arguments[1];
  const std::string* const named = words.find("--junit");
  const std::optional<std::string> junit = named == nullptr ? std::nullopt : std::optional(*named);
  const bool github = words.find("--github") != nullptr;
  if (junit) check_outputs({*junit}, words.arguments);
  DiffResult result;
  try {
    result = diff_reports(read_report(a, interrupt_token()), read_report(b, interrupt_token()), places);
  } catch (const Error& error) {
    report_to_ci(junit, github, {failed_suite(b, error.what(), {}), failure_markdown(b, error.what()), {}},
                 messages);
    throw;
  }
  // The files first: a reader who leaves costs none, nor the exit code.
  report_to_ci(junit, github, verdict_of(result), messages);
  show_beside_result(diff_text(result), {});
  return result.same() ? 0 : exit_code(ErrorKind::kThreshold);
}

int places_of(const ParsedArguments& words, int by_default) {
  const std::string* const text = words.find("--places");
  return text == nullptr ? by_default : static_cast<int>(int_value("--places", *text, {0, kAllPlaces}));
}

}  // namespace vq::cli
