// Reports as text, in four formats. The compatible layouts are those of libvmaf's tool, byte for byte; what
// the extended JSON adds is described in docs/report.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/number_text.h"
#include "engine/report/report.h"
#include "engine/report/segment_zones.h"

namespace vq {

// Those behind kHtml are of the segments alone: see segment_report.h and segment_zones.h.
enum class ReportFormat {
  kXml,
  kJson,
  kCsv,
  kSub,
  kHtml,
  kSegmentTable,
  kChapters,
  kX264Zones,
  kX265Zones,
  kAv1anZones,
  kSvtEssentialZones
};

inline bool is_of_segments(ReportFormat format) {
  return format > ReportFormat::kHtml;
}
// Nothing where it is none of zones.
std::optional<ZoneForm> zone_form(ReportFormat format);

struct ReportStyle {
  ReportFormat format = ReportFormat::kXml;
  NumberStyle numbers = {};
  bool extended = false;  // JSON only; the other formats have no place for more
  size_t worst = 10;      // frames of each metric that the extended report lists
  ZoneStyle zones = {};
};

// The format that a file name's extension stands for, in any case; nothing where it says nothing.
std::optional<ReportFormat> named_format(std::string_view path);

// The whole report. Time and memory grow linearly with the number of frames. Text that is not UTF-8 is
// written with replacement characters, so JSON and XML always parse. Needs: as many values in every metric,
// and in `timestamps` unless that is empty, as there are frames. Throws Error{kInternal} where that does not
// hold, and for kHtml: pages are written by write_page().
std::string write_report(const Report& report, const ReportStyle& style);
// The same, given to `sink` piece by piece; as JSON in pieces of a bounded size, so that memory does not grow
// by the text.
using TextSink = std::function<void(std::string_view text)>;
void write_report(const Report& report, const ReportStyle& style, const TextSink& sink);

// The formats one by one; same contract.
std::string write_json(const Report& report, const ReportStyle& style);
void write_json(const Report& report, const ReportStyle& style, const TextSink& sink);
std::string write_xml(const Report& report, const NumberStyle& numbers);
std::string write_csv(const Report& report, const NumberStyle& numbers);
std::string write_sub(const Report& report, const NumberStyle& numbers);

}  // namespace vq
