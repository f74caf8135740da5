#include "cli/commands/arguments.h"
#include "cli/commands/flag_setters.h"
#include "cli/commands/help.h"
#include "cli/inputs/run_inputs.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/diff.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/models/catalogue.h"
#include "engine/report/json_values.h"
#include "feature/device_feature.h"
#include "feature/feature.h"
#include "feature/simd_targets.h"
#include "vulkan/device.h"

namespace vq::cli {

// The table of `cambi devices`.

static std::string reason_against(const FeatureInfo* feature, Backend backend,
                                  const vulkan::DeviceInfo& device) {
  return device_requirement({&feature, 1}, backend)(device);
}

// The entry of `cambi devices` for a device that was checked for the default feature, by the backend that
// needs the least.
static std::string use_of(const vulkan::DeviceInfo& device) {
  if (!device.unusable.empty()) return words("no: {}", device.unusable);
  const std::string reason = reason_against(&default_feature(), Backend::kVulkan, device);
  std::string use = reason.empty() ? "yes" : words("only with --backend hybrid: {}", reason);
  std::vector<std::string_view> names, on_host;
  std::string lack;
  for (const FeatureInfo* info : features()) {
    const std::string own = reason_against(info, Backend::kHybrid, device);
    const DeviceSupport* const support = device_support(*info);
    if (own.empty() && support != nullptr && support->needs_doubles && !device.has_doubles)
      on_host.push_back(info->name);
    if (own.empty()) continue;
    names.push_back(info->name);
    lack = own;
  }
  if (!names.empty()) use += words("; not for {}: {}", join(names, ", "), lack);
  if (!on_host.empty()) use += words("; {} on the CPU: no doubles in shaders", join(on_host, ", "));
  return use;
}

// Fits `width` columns if it can.
static std::string device_table(size_t width) {
  const vulkan::DeviceList list =
      vulkan::list_devices(device_requirement(std::array{&default_feature()}, Backend::kHybrid));
  if (list.devices.empty()) return words("no Vulkan device: {}\n", list.problem);
  TextTable table({{"", kFlushLeft},
                   {"name", kFlushLeft, 0, 16},
                   {"type", kFlushLeft},
                   {"driver", kFlushLeft, 3},
                   {"API", kFlushLeft, 4},
                   {"memory", kFlushRight, 2},
                   {"subgroup", kFlushRight, 5},
                   {"usable", kFlushLeft, 0, 0, true}});
  for (const vulkan::DeviceInfo& device : list.devices) {
    table.add({std::to_string(device.index), printable(device.name), std::string(to_string(device.type)),
               printable(device.driver), device.api_version, words("{} MiB", device.memory_bytes >> 20),
               std::to_string(device.subgroup_size), use_of(device)});
  }
  return table.text(width);
}

using nlohmann::ordered_json;

static ordered_json device_facts_json(const vulkan::DeviceInfo& device) {
  return {{"index", device.index},
          {"name", device.name},
          {"type", to_string(device.type)},
          {"memory_bytes", device.memory_bytes},
          {"usable", device.unusable.empty()}};
}

static std::string machine_json() {
  return json_file_text(
      ordered_json{{"cores", thread_count({})},
                   {"memory_bytes", default_memory_limit()},
                   {"devices", json_list(vulkan::list_devices().devices, device_facts_json)}});
}

static ordered_json digest_json(const StageDigest& stage) {
  return {{"stage", stage.stage}, {"digest", hash_text(stage.digest)}};
}

static ordered_json checked_feature_json(const CheckedFeature& checked) {
  return {{"feature", checked.name},
          {"video", checked.video},
          {"problem", checked.problem},
          {"on_host", checked.is_on_host},
          {"milliseconds", checked.milliseconds},
          {"stages", json_list(checked.stages, digest_json)}};
}

static ordered_json controls_json(const vulkan::FloatControls& controls) {
  return {{"round_to_nearest", controls.round_to_nearest}, {"keep_special", controls.keep_special}};
}

static ordered_json certificate_json(const vulkan::DeviceInfo& device, const DeviceCertificate& found) {
  return {{"device", device.name},
          {"driver", device.driver},
          {"api_version", device.api_version},
          {"is_conformant", device.is_conformant},
          {"floats", controls_json(device.floats)},
          {"has_doubles", device.has_doubles},
          {"doubles", controls_json(device.doubles)},
          {"program", version()},
          {"passes", found.passes()},
          {"digest", hash_text(found.digest())},
          {"features", json_list(found.features, checked_feature_json)}};
}

// For all devices that can be used.
static int write_certificates() {
  const vulkan::DeviceList list = vulkan::list_devices();
  ordered_json json = ordered_json::array();
  bool all_pass = true;
  for (const vulkan::DeviceInfo& device : list.devices) {
    if (!device.unusable.empty()) continue;
    const DeviceCertificate found = check_device(
        {.selector = std::to_string(device.index), .cache_folder = cache_folder(), .list = list});
    json.push_back(certificate_json(device, found));
    all_pass = all_pass && found.passes();
  }
  if (json.empty())
    throw Error(ErrorKind::kBackend, list.problem.empty() ? "no usable Vulkan device" : list.problem);
  write_stdout(json_file_text(json));
  return all_pass ? 0 : exit_code(ErrorKind::kBackend);
}

static std::string all_features(size_t width) {
  return words(
      "{}Instruction sets of this CPU, best first (--cpumask restricts them): {}\n"
      "The options and flags of a feature: cambi features NAME\n",
      feature_list(width), join(allowed_simd_targets(0), " ", &SimdTarget::name));
}

static std::string option_table(const FeatureInfo& info, size_t width) {
  TextTable table({{"option", kFlushLeft},
                   {"alias", kFlushLeft, 3},
                   {"default", kFlushLeft, 1},
                   {"range", kFlushLeft, 2},
                   {"meaning", kFlushLeft, 0, 0, true}});
  for (const OptionSpec& spec : info.options) {
    if (!spec.in_exact_form) continue;
    const std::string default_text = spec.default_text_form();
    table.add({std::string(spec.name), spec.alias.empty() ? "-" : std::string(spec.alias),
               default_text.empty() ? "-" : default_text, spec.range_text(), std::string(spec.help)});
  }
  return words(
      "{}: {}\n\n{}{}\nUse: --feature {}=option=value:option=value\n"
      "Metric names carry the alias and value of every option that is not at its default.\n",
      info.name, info.summary, table.text(width), flags_of_feature(info, width), info.name);
}

int run_devices(const ParsedArguments& typed, Messages&) {
  if (typed.has("--check")) return write_certificates();
  if (typed.has("--json")) {
    write_stdout(machine_json());
    return 0;
  }
  write_stdout(fit_text(device_table(stdout_width()), stdout_width()));
  return 0;
}

int run_features(const ParsedArguments& typed, Messages&) {
  const size_t width = stdout_width();
  const std::string text =
      typed.arguments.empty() ? all_features(width) : option_table(named_feature(typed.arguments[0]), width);
  write_stdout(fit_text(text, width));
  return 0;
}

int run_models(const ParsedArguments& typed, Messages&) {
  if (typed.has("--licence")) {
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

int run_diff(const ParsedArguments& typed, Messages& messages) {
  const int places = static_cast<int>(typed.number("--places", {0, kAllPlaces}, kDefaultPlaces));
  const std::string &a = typed.arguments[0], &b = typed.arguments[1];
  EndingOptions options{.junit = typed.text("--junit"),
                        .github = typed.has("--github"),
                        .quiet = true,
                        .files = {b},
                        .other_inputs = {a}};
  if (options.junit) check_outputs({*options.junit}, typed.arguments);
  Ending ending(messages, std::move(options));
  return ending.run([&] {
    const auto read = [](const std::string& path) {
      return read_report(path, interrupt_token(), MissingScores::kKept).report;
    };
    const DiffResult result = diff_reports({a, read(a)}, {b, read(b)}, places);
    const std::string text = diff_text(result), verdict = text.substr(0, text.find('\n'));
    // The files first: a reader who leaves costs none, nor the exit code.
    ending.write({}, std::array{JunitSuite{
                         .name = b, .seconds = 0, .cases = {diff_case(words("equals {}", a), result)}}});
    ending.add_to_step(markdown_heading(b) + markdown_paragraph(verdict));
    if (!result.same()) ending.differs(verdict);
    ending.show(text);
    return ending.code();
  });
}

// The cross-backend gate: the same run on several backends, one after the other.

// Scores the inputs once on each backend. Throws Error as a scoring run does: a gate never leaves a backend
// out.
static GateResult run_backends(const RunOptions& arguments, const std::vector<Backend>& backends, int places,
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
    result.entries.push_back({.run = report.run,
                              .frames = static_cast<int64_t>(report.frames.size()),
                              .diff = diff_reports({first_name, *first}, {name, report}, places)});
  }
  return result;
}

constexpr const char* kDefaultBackends = "cpu,hybrid,vulkan";

static std::vector<Backend> parse_backends(const std::string& text) {
  constexpr Backend kAll[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};
  const auto names = mapped(kAll, [](Backend backend) { return std::string(to_string(backend)); });
  std::vector<Backend> backends;
  for (const std::string_view word : fields(text, ',')) {
    const Backend backend = kAll[choice_value("--backends", std::string(word), names)];
    if (contains(backends, backend)) throw usage_error("--backends names \"{}\" twice.", to_string(backend));
    backends.push_back(backend);
  }
  if (backends.size() < 2) throw usage_error("--backends needs at least two, such as cpu,scalar.");
  return backends;
}

int run_gate(const ParsedArguments& typed, Messages& messages) {
  const std::vector<Backend> backends = parse_backends(typed.text("--backends").value_or(kDefaultBackends));
  const int places = static_cast<int>(typed.number("--places", {0, kAllPlaces}, kAllPlaces));
  RunOptions arguments = run_options(typed);
  Ending ending(messages, ending_options(arguments));
  return ending.run([&] {
    if (arguments.backend) throw usage_error("selftest runs several backends: give them with --backends.");
    check_json_run(arguments, "selftest", "result");
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
