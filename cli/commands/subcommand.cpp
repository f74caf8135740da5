#include "cli/commands/subcommand.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "cli/commands/feature_spec.h"
#include "cli/commands/help.h"
#include "cli/inputs/run_inputs.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/diff.h"
#include "cli/run/run.h"
#include "cli/run/run_outputs.h"
#include "cli/system/exit_code.h"
#include "cli/system/machine.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "engine/models/catalogue.h"
#include "engine/report/json_values.h"
#include "feature/device_feature.h"
#include "feature/registry.h"
#include "feature/simd_targets.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

// The table of `cambi devices`.

// Fits `width` columns if it can; 0: any width.
std::string device_table(size_t width = 0);

std::string reason_against(const FeatureInfo* feature, Backend backend, const vulkan::DeviceInfo& device) {
  return device_requirement({&feature, 1}, backend)(device);
}

// What `cambi devices` says of a device that was checked for the default feature, by the backend that needs
// the least.
std::string use_of(const vulkan::DeviceInfo& device) {
  if (!device.unusable.empty()) return "no: " + device.unusable;
  const std::string reason = reason_against(&default_feature(), Backend::kVulkan, device);
  std::string use = reason.empty() ? "yes" : "only with --backend hybrid: " + reason;
  std::string names, lack, on_host;
  for (const FeatureInfo* info : features()) {
    const std::string own = reason_against(info, Backend::kHybrid, device);
    const DeviceSupport* const support = device_support(*info);
    if (own.empty() && support != nullptr && support->needs_doubles && !device.has_doubles)
      on_host += (on_host.empty() ? "" : ", ") + std::string(info->name);
    if (own.empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(info->name);
    lack = own;
  }
  if (!names.empty()) use += "; not for " + names + ": " + lack;
  if (!on_host.empty()) use += "; " + on_host + " on the CPU: no doubles in shaders";
  return use;
}

std::string device_table(size_t width) {
  const vulkan::DeviceList list =
      vulkan::list_devices(device_requirement(std::array{&default_feature()}, Backend::kHybrid));
  if (list.devices.empty()) return "no Vulkan device: " + list.problem + "\n";
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table({{"", kLeft},
                   {"name", kLeft, 0, 16},
                   {"type", kLeft},
                   {"driver", kLeft, 3},
                   {"API", kLeft, 4},
                   {"memory", TextColumn::Align::kRight, 2},
                   {"subgroup", TextColumn::Align::kRight, 5},
                   {"usable", kLeft, 0, 0, true}});
  for (const vulkan::DeviceInfo& device : list.devices) {
    table.add({std::to_string(device.index), printable(device.name), std::string(to_string(device.type)),
               printable(device.driver), device.api_version,
               std::to_string(device.memory_bytes >> 20) + " MiB", std::to_string(device.subgroup_size),
               use_of(device)});
  }
  return table.text(width);
}

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
