#include "engine/report/report_writer.h"

#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "engine/report/scenes.h"
#include "engine/report/segment_report.h"

namespace vq {
namespace {

void check_shape(const Report& report) {
  const size_t frames = report.frames.size();
  for (const Metric& metric : report.metrics) {
    if (metric.values.size() == frames) continue;
    throw Error(ErrorKind::kInternal, "report: " + metric.name + " has " +
                                          std::to_string(metric.values.size()) + " values for " +
                                          std::to_string(frames) + " frames");
  }
  if (!report.timestamps.empty() && report.timestamps.size() != frames) {
    throw Error(ErrorKind::kInternal, "report: " + std::to_string(report.timestamps.size()) +
                                          " timestamps for " + std::to_string(frames) + " frames");
  }
}

}  // namespace

std::optional<ReportFormat> named_format(std::string_view path) {
  constexpr std::pair<std::string_view, ReportFormat> kExtensions[] = {
      {".xml", ReportFormat::kXml}, {".json", ReportFormat::kJson}, {".csv", ReportFormat::kCsv},
      {".sub", ReportFormat::kSub}, {".html", ReportFormat::kHtml}, {".htm", ReportFormat::kHtml}};
  for (const auto& [extension, format] : kExtensions) {
    if (lower_case(path).ends_with(extension)) return format;
  }
  return std::nullopt;
}

std::optional<ZoneForm> zone_form(ReportFormat format) {
  if (format == ReportFormat::kX264Zones) return ZoneForm::kX264;
  if (format == ReportFormat::kX265Zones) return ZoneForm::kX265;
  if (format == ReportFormat::kAv1anZones) return ZoneForm::kAv1an;
  if (format == ReportFormat::kSvtEssentialZones) return ZoneForm::kSvtEssential;
  return std::nullopt;
}

bool is_of_segments(ReportFormat format) {
  return format == ReportFormat::kSegmentTable || format == ReportFormat::kChapters || zone_form(format);
}

bool is_of_scenes(ReportFormat format) {
  return format == ReportFormat::kSceneTable || format == ReportFormat::kAv1anScenes;
}

std::string write_report(const Report& report, const ReportStyle& style) {
  check_shape(report);
  switch (style.format) {
    case ReportFormat::kXml:
      return write_xml(report, style.numbers);
    case ReportFormat::kJson:
      return write_json(report, style);
    case ReportFormat::kCsv:
      return write_csv(report, style.numbers);
    case ReportFormat::kSub:
      return write_sub(report, style.numbers);
    case ReportFormat::kSegmentTable:
      return segments_csv(report);
    case ReportFormat::kChapters:
      return segment_chapters(report);
    case ReportFormat::kX264Zones:
    case ReportFormat::kX265Zones:
    case ReportFormat::kAv1anZones:
    case ReportFormat::kSvtEssentialZones:
      return zones_text(report, *zone_form(style.format), style.zones);
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

}  // namespace vq
