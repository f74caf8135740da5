#include "engine/report/report_writer.h"

#include <cmath>

#include "core/error.h"
#include "core/metric.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/scenes.h"

namespace vq {

static void check_shape(const Report& report) {
  const size_t frames = report.frames.size();
  for (const Metric& metric : report.metrics) {
    if (metric.values.size() == frames) continue;
    throw Error(ErrorKind::kInternal, "report: {} has {} values for {} frames", metric.name,
                metric.values.size(), frames);
  }
  if (!report.timestamps.empty() && report.timestamps.size() != frames) {
    throw Error(ErrorKind::kInternal, "report: {} timestamps for {} frames", report.timestamps.size(),
                frames);
  }
}

// MicroDVD gives braces, bars and line ends a meaning and has no escapes.
static std::string label(std::string text) {
  for (char& c : text) {
    if (c == '{' || c == '}' || c == '|' || c == '\n' || c == '\r') c = '_';
  }
  return text;
}

const ReportFormatInfo& info_of(ReportFormat format) {
  using enum ReportFormatInfo::Content;
  static constexpr ReportFormatInfo kInfos[] = {
      {"xml", ".xml", kScores},
      {"json", ".json", kScores},
      {"csv", ".csv", kScores},
      {"sub", ".sub", kScores},
      {"html", ".html", kPage},
      {"segments", ".segments.csv", kSegments},
      {"chapters", ".chapters.txt", kSegments},
      {"x264", ".zones.txt", kSegments, ZoneForm::kX264},
      {"x265", ".zones.txt", kSegments, ZoneForm::kX265},
      {"av1an", ".zones.txt", kSegments, ZoneForm::kAv1an},
      {"svt-essential", ".zones.txt", kSegments, ZoneForm::kSvtEssential},
      {"csv-plain", ".csv", kScores},
      {"scenes", ".scenes.csv", kScenes},
      {"av1an-scenes", ".scenes.json", kScenes}};
  static_assert(std::size(kInfos) == static_cast<size_t>(ReportFormat::kAv1anScenes) + 1);
  return kInfos[static_cast<size_t>(format)];
}

std::optional<ReportFormat> named_format(std::string_view path) {
  const std::string name = lower_case(path);
  for (const ReportFormat format : {ReportFormat::kXml, ReportFormat::kJson, ReportFormat::kCsv,
                                    ReportFormat::kSub, ReportFormat::kHtml}) {
    if (name.ends_with(info_of(format).ending)) return format;
  }
  return name.ends_with(".htm") ? std::optional(ReportFormat::kHtml) : std::nullopt;
}

bool is_of_segments(ReportFormat format) {
  return info_of(format).content == ReportFormatInfo::Content::kSegments;
}

bool is_of_scenes(ReportFormat format) {
  return info_of(format).content == ReportFormatInfo::Content::kScenes;
}

std::string write_report(const Report& report, const ReportStyle& style) {
  check_shape(report);
  switch (style.format) {
    case ReportFormat::kXml:
      return write_xml(view_of(report), style.numbers);
    case ReportFormat::kJson:
      return write_json(report, style);
    case ReportFormat::kCsv:
      return write_csv(view_of(report), style.numbers);
    case ReportFormat::kSub: {
      ScoreView view = view_of(report);
      for (ScoreView::Column& column : view.columns) column.name = label(column.name);
      return write_sub(view, style.numbers);
    }
    case ReportFormat::kSegmentTable:
      return segments_csv(report);
    case ReportFormat::kChapters:
      return segment_chapters(report);
    case ReportFormat::kX264Zones:
    case ReportFormat::kX265Zones:
    case ReportFormat::kAv1anZones:
    case ReportFormat::kSvtEssentialZones:
      return zones_text(report, *info_of(style.format).zones, style.zones);
    case ReportFormat::kPlainCsv:
      return write_plain_csv(report, style.numbers);
    case ReportFormat::kSceneTable:
      return scenes_csv(report);
    case ReportFormat::kAv1anScenes:
      return scenes_for_av1an(report);
    case ReportFormat::kHtml:
      break;  // write_page() does that
  }
  throw Error(ErrorKind::kInternal, "a page is no report");
}

void write_report(const Report& report, const ReportStyle& style, const TextSink& sink) {
  if (style.format != ReportFormat::kJson) return sink(write_report(report, style));
  check_shape(report);
  write_json(report, style, sink);
}

ScoreView view_of(const Report& report) {
  ScoreView view{.version = report.version,
                 .fps = report.fps,
                 .width = report.width,
                 .height = report.height,
                 .frames = report.frames,
                 .columns = {},
                 .aggregates = report.aggregates};
  for (const Metric& metric : report.metrics) {
    view.columns.push_back({.name = metric.name,
                            .score = [&metric](size_t row) { return std::optional(metric.values[row]); },
                            .pool =
                                [&metric, has_statistics = !is_sample(report)] {
                                  if (!has_statistics) return std::optional<PooledScores>();
                                  const MetricInfo& info = metric_info(metric);
                                  return pool_scores(counted_values(info, metric.values), info.mean);
                                }});
  }
  return view;
}

std::string write_csv(const ScoreView& scores, const NumberStyle& numbers) {
  std::string out = "Frame,";
  for (const ScoreView::Column& column : scores.columns) out += csv_field(column.name) + ',';
  out += '\n';
  for (size_t i = 0; i < scores.frames.size(); ++i) {
    out += std::to_string(scores.frames[i]) + ',';
    for (const ScoreView::Column& column : scores.columns) {
      if (const std::optional<double> score = column.score(i)) out += number_text(*score, numbers) + ',';
    }
    out += '\n';
  }
  return out;
}

std::string write_plain_csv(const Report& report, const NumberStyle& numbers) {
  std::string out = "frame,timestamp", models;
  for (const Metric& metric : report.metrics) out += ',' + csv_field(metric.name);
  for (const ModelFacts& model : report.run.models) {
    out += ',' + csv_field(model.name + "_model");
    models += ',' + csv_field(model.source);
  }
  out += '\n';
  for (size_t i = 0; i < report.frames.size(); ++i) {
    out += std::to_string(report.frames[i]) + ',';
    if (const auto time = timestamp_at(report, i)) out += fixed_text(*time, kTimestampDecimals);
    for (const Metric& metric : report.metrics) out += ',' + number_text(metric.values[i], numbers);
    out += models + '\n';
  }
  return out;
}

std::string write_sub(const ScoreView& scores, const NumberStyle& numbers) {
  std::string out;
  for (size_t i = 0; i < scores.frames.size(); ++i) {
    const int64_t frame = scores.frames[i];
    out += words("{{}}{{}}frame: {}|", frame, frame + 1, frame);
    for (const ScoreView::Column& column : scores.columns) {
      if (const std::optional<double> score = column.score(i))
        out += words("{}: {}|", column.name, number_text(*score, numbers));
    }
    out += '\n';
  }
  return out;
}

std::string write_xml(const ScoreView& scores, const NumberStyle& numbers) {
  std::string out = words("<VMAF{}>\n  <params", xml_attribute("version", xml_escaped(scores.version)));
  out += xml_attribute("qualityWidth", std::to_string(scores.width));
  out += xml_attribute("qualityHeight", std::to_string(scores.height)) + " />\n";
  out += words("  <fyi{} />\n  <frames>\n", xml_attribute("fps", fixed_text(scores.fps, kFpsDecimals)));
  std::vector<std::string> names;
  for (const ScoreView::Column& column : scores.columns) names.push_back(attribute_name(column.name));
  for (size_t i = 0; i < scores.frames.size(); ++i) {
    out += "    <frame" + xml_attribute("frameNum", std::to_string(scores.frames[i]));
    for (size_t m = 0; m < names.size(); ++m) {
      if (const std::optional<double> score = scores.columns[m].score(i))
        out += xml_attribute(names[m], number_text(*score, numbers));
    }
    out += " />\n";
  }
  out += "  </frames>\n  <pooled_metrics>\n";
  for (const ScoreView::Column& column : scores.columns) {
    const std::optional<PooledScores> pooled = column.pool();
    if (!pooled && !scores.is_of_library) continue;
    out += "    <metric" + xml_attribute("name", xml_escaped(column.name));
    if (pooled) {
      for (const auto& [name, value] : std::span(kPooledMembers).first<kPooledOfLibrary>())
        out += xml_attribute(name, number_text((*pooled).*value, numbers));
    }
    out += " />\n";
  }
  out += "  </pooled_metrics>\n  <aggregate_metrics";
  for (const auto& [name, value] : scores.aggregates)
    out += xml_attribute(attribute_name(name), number_text(value, numbers));
  return out + " />\n</VMAF>\n";
}

std::string write_score_lists(std::span<const Metric* const> metrics, const NumberStyle& numbers) {
  std::string out = "[";
  const size_t frames = metrics.empty() ? 0 : metrics.front()->values.size();
  for (size_t i = 0; i < frames; ++i) {
    out += i == 0 ? "[" : ", [";
    for (size_t m = 0; m < metrics.size(); ++m) {
      const double value = metrics[m]->values[i];
      if (m > 0) out += ", ";
      out += std::isfinite(value) ? number_text(value, numbers) : "null";
    }
    out += ']';
  }
  return out + "]\n";
}

std::string write_auto_boost(const Metric& metric) {
  constexpr int kDecimals = 6;
  std::string out = "skip: 1\n";
  for (size_t i = 0; i < metric.values.size(); ++i)
    out += words("{}: {}\n", i + 1, fixed_text(std::max(metric.values[i], 0.0), kDecimals));
  return out;
}

}  // namespace vq
