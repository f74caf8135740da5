#include "cli/commands/arguments.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/pages/page_assets.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/compare_files.h"
#include "cli/run/ending.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/report_writer.h"
#include "engine/report/scenes.h"
#include "engine/report/segments.h"
#include "engine/report/statistic.h"

namespace vq::cli {

static std::string page_path(const std::string& report) {
  constexpr std::string_view kExtension = ".json";
  if (is_standard_input(report)) return "-";
  const bool named = report.size() > kExtension.size() && report.ends_with(kExtension);
  return (named ? report.substr(0, report.size() - kExtension.size()) : report) + ".html";
}

// Why a page made of a report alone should not replace what is there, in words; empty if nothing is lost.
// `named`: the user gave the name, so that only what a report cannot give back counts.
static std::string loss(const std::string& path, bool named) {
  std::error_code error;
  const std::filesystem::path file = path_of(path);
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) == 0)
    return {};
  const PageKind kind = page_kind(read_file(path, SIZE_MAX));
  if (kind.pictures > 0) {
    return words("it shows {}, which a report does not have",
                 counted(static_cast<int64_t>(kind.pictures), "picture"));
  }
  return named || kind.of_one_run ? "" : "it is no page of a run";
}

// Where the page goes; empty: nowhere, for segments or scenes are all that was asked for.
static std::string page_place(const ParsedArguments& typed, bool writes_others) {
  const std::string& report = typed.arguments[0];
  const std::string* const named = typed.find("--output");
  if (named != nullptr) check_path("--output", *named);
  if (named == nullptr && writes_others) return {};
  if (named != nullptr && named_format(*named).value_or(ReportFormat::kHtml) != ReportFormat::kHtml) {
    throw usage_error("report writes a page, and {} is named as another format. Try: -o FILE.html",
                      shown_path(*named));
  }
  page_assets();  // before the report is read: not every build has pages
  return named == nullptr ? page_path(report) : *named;
}

// Throws if something would be lost that nobody said may be.
static void check_loss(const ParsedArguments& typed, const std::string& page) {
  if (page.empty() || is_standard_output(page) || typed.has("--force")) return;
  const std::string why = loss(page, typed.has("--output"));
  if (why.empty()) return;
  throw Error(ErrorKind::kOutput, "{} exists, and {}. Give another name with -o, or --force to replace it.",
              shown_path(page), why);
}

// Options about segments and scenes.
static RunOptions segment_options(const ParsedArguments& typed) {
  RunOptions options = given_options(typed);
  finish_segments(options);
  refuse_idle_flags(options, false);
  return options;
}

// As given, else those it came with.
static void settle_scenes(Report& report, const RunOptions& options) {
  if (options.scenes) report.run.scene_cuts = cuts_in(report, options.scenes->list);
  if (options.scenes) report.scene_aggregates.clear();  // of other scenes
  if (!is_about_scenes(options) || has_scenes(report)) return;
  throw usage_error(
      "this report has no scenes; those written with --extended have. Give them with --scenes-from FILE.");
}

// As asked, else those it came with, else those that are noteworthy.
static void settle_segments(Report& report, const RunOptions& options) {
  check_segments(options.segments, report.metrics);
  if (!options.segments.empty() || report.run.segments.empty())
    report.run.segments = segments_of(report, options.segments);
  const auto is_of_them = [](const OutputRequest& output) { return is_of_segments(*output.format); };
  if (std::ranges::none_of(options.outputs, is_of_them) || !report.run.segments.empty()) return;
  throw usage_error(
      "--segments-output: no metric of this report has a noteworthy level. Add --segments METRIC:VALUE");
}

static void check_times(const Report& report, const std::vector<OutputRequest>& outputs) {
  const auto has_times = [](const Segment& segment) { return segment.start && segment.end; };
  const auto have_times = [&](const SegmentFacts& segments) {
    return std::ranges::all_of(segments.list, has_times);
  };
  if (!contains(outputs, ReportFormat::kChapters, &OutputRequest::format) ||
      std::ranges::all_of(report.run.segments, have_times))
    return;
  throw Error(ErrorKind::kInput,
              "chapters need times, and this report has none; those written with --extended have.");
}

// The metrics of --metrics, otherwise all that were requested.
static std::vector<const Metric*> listed_metrics(const Report& report, const std::string* names) {
  std::vector<const Metric*> metrics;
  if (names == nullptr) {
    for (const Metric& metric : report.metrics) {
      if (!metric.is_inner) metrics.push_back(&metric);
    }
    return metrics;
  }
  for (const std::string_view name : split(*names, ',')) {
    const std::optional<size_t> found = find_named(report.metrics, name);
    if (!found) {
      throw usage_error("--metrics: the report has no metric \"{}\"; it has {}.", printable(name),
                        listed_names(report.metrics));
    }
    metrics.push_back(&report.metrics[*found]);
  }
  return metrics;
}

static std::string auto_boost_text(const Report& report, const std::vector<const Metric*>& metrics) {
  if (metrics.size() != 1) throw usage_error("--as auto-boost has one metric. Add --metrics ssimulacra2");
  if (report.run.subsample > 1)
    throw usage_error("--as auto-boost needs the scores of all frames, and --subsample left some out.");
  return write_auto_boost(*metrics.front());
}

static int write_lists(const ParsedArguments& typed, const std::string& form, Messages& messages) {
  constexpr std::string_view kAutoBoost = "auto-boost";
  choice_value("--as", form, {"ffvship", std::string(kAutoBoost)});
  const std::string path = typed.text("--output").value_or("-");
  check_outputs(std::vector<OutputPlace>{{path, {}}}, {typed.arguments[0]});
  const auto [report, style] = read_report(typed.arguments[0], interrupt_token());
  const std::vector<const Metric*> metrics = listed_metrics(report, typed.find("--metrics"));
  const std::vector<OutputText> texts = {{path, form == kAutoBoost
                                                    ? auto_boost_text(report, metrics)
                                                    : write_score_lists(metrics, style.numbers)}};
  Ending ending(messages);
  ending.write(texts);
  ending.show("");
  return 0;
}

// Scores alone have no segments, scenes or pictures, and a page has all metrics.
static void check_lists_flags(const ParsedArguments& typed) {
  constexpr std::string_view kOfLists[] = {"--as", "--metrics", "--output"};
  if (!typed.has("--as") && typed.has("--metrics"))
    throw usage_error("--metrics has no effect without --as, such as --as ffvship.");
  for (const GivenFlag& given : typed.flags) {
    if (typed.has("--as") && !contains(kOfLists, given.flag->name))
      throw usage_error("{} has no effect with --as, which writes the scores alone.", given.flag->name);
  }
}

int run_report(const ParsedArguments& typed, Messages& messages) {
  check_lists_flags(typed);
  if (const std::string* const form = typed.find("--as")) return write_lists(typed, *form, messages);
  const std::string& report_path = typed.arguments[0];
  const RunOptions options = segment_options(typed);
  const std::string page = page_place(typed, !options.outputs.empty() || options.lists_scenes);
  std::vector<std::string> places = mapped(options.outputs, &OutputRequest::path);
  if (!page.empty()) places.insert(places.begin(), page);
  std::vector<std::string> inputs = {report_path};
  if (options.scenes) inputs.push_back(options.scenes->path);
  check_outputs(places, inputs);
  check_loss(typed, page);
  auto [report, style] = read_report(report_path, interrupt_token());
  settle_scenes(report, options);
  settle_segments(report, options);
  check_times(report, options.outputs);
  std::vector<OutputText> texts;
  if (!page.empty())
    texts.push_back({page, write_page(report, {}, report.run.inputs.empty() ? report_path : "", style)});
  for (const OutputRequest& output : options.outputs) {
    texts.push_back({output.path, write_report(report, {.format = *output.format, .zones = output.zones})});
  }
  Ending ending(messages, {.outputs = places});
  ending.write(std::move(texts));
  std::string shown = options.lists_scenes ? scenes_text(report, stdout_width()) : std::string();
  if (!options.segments.empty()) shown += segments_text(report, stdout_width());
  ending.show(shown, Ending::Text::kResult);
  return 0;
}

}  // namespace vq::cli
