#include "cli/batch/batch_task.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/batch/origin.h"
#include "cli/pictures/shown_metrics.h"
#include "cli/reports/report_file.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "core/version.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Whether something is wanted that cannot be made of the report.
bool needs_frames(const RunOptions& own) {
  const auto has_folder = [](const FeatureRequest& feature) { return !heatmap_folder(feature).empty(); };
  return own.heatmaps.page || std::any_of(own.features.begin(), own.features.end(), has_folder);
}

// Of pictures only the folder for those of all videos is looked for: one without a flaw has none.
bool has_outputs(const BatchRequest& request, const RunOptions& own) {
  const auto is_there = [](const OutputRequest& output) { return exists(output.path); };
  const auto has_pictures = [](const FeatureRequest& feature) {
    return heatmap_folder(feature).empty() || exists(heatmap_folder(feature));
  };
  return std::all_of(own.outputs.begin(), own.outputs.end(), is_there) &&
         std::all_of(request.arguments.features.begin(), request.arguments.features.end(), has_pictures);
}

// The report that is there, where it is of the same scores.
std::optional<Report> saved(const RunOptions& own, const OriginFacts& origin) {
  const std::string& path = own.outputs.front().path;
  if (!exists(path)) return std::nullopt;
  try {
    const ScoreTable table = read_report(path, own.stop);
    if (table.version != version() || !table.run || !table.run->complete || !table.run->origin)
      return std::nullopt;
    const OriginFacts& was = *table.run->origin;
    if (was.files != origin.files || was.scores != origin.scores) return std::nullopt;
    return to_report(table);
  } catch (const Error&) {  // as good as none
    return std::nullopt;
  }
}

void renew(Report& report, const BatchTask& task) {
  const RunOptions& own = task.arguments;
  check_threshold_metrics(own.thresholds, report.metrics);
  check_segments(own.segments, report.metrics);
  judge_report(report, task);
  report.run.segments = segments_of(report, own.segments);
  write_report_outputs(report, own);
}

}  // namespace

std::string batch_output(const std::string& name, ReportFormat format) {
  switch (format) {
    case ReportFormat::kXml:
      return name + ".xml";
    case ReportFormat::kJson:
      return name + ".json";
    case ReportFormat::kCsv:
      return name + ".csv";
    case ReportFormat::kSub:
      return name + ".sub";
    case ReportFormat::kHtml:
      return name + ".html";
    case ReportFormat::kSegmentTable:
      return name + ".segments.csv";
    case ReportFormat::kChapters:
      return name + ".chapters.txt";
    case ReportFormat::kSceneTable:
      return name + ".scenes.csv";
    case ReportFormat::kAv1anScenes:
      return name + ".scenes.json";
    case ReportFormat::kPlainCsv:
      return name + ".csv";
    case ReportFormat::kX264Zones:
    case ReportFormat::kX265Zones:
    case ReportFormat::kAv1anZones:
    case ReportFormat::kSvtEssentialZones:
      break;
  }
  return name + ".zones.txt";
}

std::optional<std::string> reference_of(const BatchRequest& request, const ListedVideo& video) {
  return video.reference ? video.reference : request.arguments.reference;
}

RunOptions batch_options(const BatchRequest& request, const ListedVideo& video) {
  RunOptions own = request.arguments;
  own.distorted = video.path;
  own.reference = reference_of(request, video);
  own.extended = true;
  own.quiet = true;
  // What is worked out from a report later is what was worked out from the scores.
  if (!own.precision) own.precision = NumberStyle{NumberStyle::Kind::kShortest, 0};
  // About all of them there is one.
  own.junit.reset();
  own.github = false;
  std::error_code ignored;
  if (own.baseline && fs::is_directory(*own.baseline, ignored)) {
    own.baseline = *own.baseline + "/" + batch_output(video.name, ReportFormat::kJson);
  }
  const auto add = [&](ReportFormat format) {
    own.outputs.push_back({request.folder + "/" + batch_output(video.name, format), format});
    own.heatmaps.page = own.heatmaps.page || format == ReportFormat::kHtml;
  };
  add(ReportFormat::kJson);
  for (const ReportFormat format : request.formats) add(format);
  for (FeatureRequest& feature : own.features) {
    const std::string folder = heatmap_folder(feature);
    if (!folder.empty()) feature.options.resolve(feature.info->heatmap_option, folder + "/" + video.name);
  }
  return own;
}

void write_report_outputs(const Report& report, const RunOptions& own) {
  std::vector<OutputText> texts;
  for (const OutputRequest& output : own.outputs) {
    texts.push_back({output.path, write_report(report, {.format = *output.format,
                                                        .numbers = own.precision.value_or(NumberStyle()),
                                                        .extended = true,
                                                        .worst = own.worst.value_or(ReportStyle().worst)})});
  }
  write_outputs(texts);
}

BatchTask batch_task(const BatchRequest& request, const ListedVideo& video) {
  BatchTask task{.arguments = batch_options(request, video), .origin = {}, .baseline = {}};
  task.origin = origin_of(task.arguments);
  if (task.arguments.baseline) task.baseline = read_baseline(*task.arguments.baseline, task.arguments.stop);
  return task;
}

void judge_report(Report& report, const BatchTask& task) {
  const Baseline* const baseline = task.baseline ? &*task.baseline : nullptr;
  if (baseline != nullptr)
    check_baseline(task.arguments.thresholds, report.metrics, report.run.models, *baseline);
  report.run.thresholds = judge(task.arguments.thresholds, report, baseline);
  report.run.origin = task.origin;
  if (baseline == nullptr) return;
  std::vector<std::string>& warnings = report.run.warnings;
  for (std::string& remark : remarks_on_baseline(*baseline, report)) {
    if (std::find(warnings.begin(), warnings.end(), remark) == warnings.end())
      warnings.push_back(std::move(remark));
  }
}

std::optional<Report> kept_report(const BatchRequest& request, const BatchTask& task) {
  const RunOptions& own = task.arguments;
  std::optional<Report> report = saved(own, task.origin);
  if (!report) return std::nullopt;
  if (report->run.origin->outputs != task.origin.outputs || !has_outputs(request, own)) {
    if (needs_frames(own)) return std::nullopt;
    renew(*report, task);
  }
  return report;
}

}  // namespace vq::cli
