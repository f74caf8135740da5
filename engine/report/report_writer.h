// Reports as text, written and read. The compatible layouts are those of libvmaf's tool, byte for byte;
// docs/report.md describes the additions of the extended JSON, and the plain CSV.
#pragma once

#include "core/number_text.h"
#include "engine/report/report.h"
#include "engine/report/segments.h"

namespace vq {

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
  kSvtEssentialZones,
  kPlainCsv,
  kSceneTable,
  kAv1anScenes
};

struct ReportFormatInfo {
  enum class Content { kScores, kPage, kSegments, kScenes };
  std::string_view word;    // the format's name in flags
  std::string_view ending;  // what its files' names end with: ".json"
  Content content;
  std::optional<ZoneForm> zones = {};  // of segments
};
const ReportFormatInfo& info_of(ReportFormat format);
// Whether it contains only segments (segments.h).
bool is_of_segments(ReportFormat format);
// Whether it says something of a sample: scores and pages do.
inline bool may_be_of_sample(ReportFormat format) {
  using Content = ReportFormatInfo::Content;
  return info_of(format).content == Content::kScores || info_of(format).content == Content::kPage;
}
// Whether it contains only scenes (scenes.h).
bool is_of_scenes(ReportFormat format);

struct ReportStyle {
  ReportFormat format = ReportFormat::kXml;
  NumberStyle numbers = {};
  bool extended = false;  // JSON only; the other formats have no place for more
  size_t worst = 10;      // number of worst moments per metric in the extended report
  ZoneStyle zones = {};
};

// The scores of a run as libvmaf's layouts need them; scores that are missing are left out. A view refers to
// what it was made of.
struct ScoreView {
  struct Column {
    std::string name;
    std::function<std::optional<double>(size_t row)> score;
    std::function<std::optional<PooledScores>()> pool;
  };
  std::string version;
  double fps = 0;
  int64_t width = 0, height = 0;
  std::span<const int64_t> frames;
  std::vector<Column> columns;
  std::span<const std::pair<std::string, double>> aggregates;
  // Writes as libvmaf's library does, not as its tool: lists metrics even if they have no statistics, and in
  // JSON ends no line after a frame's last score if that score is not finite.
  bool is_of_library = false;
};
ScoreView view_of(const Report& report);

// The format for a file name's extension, in any case; nothing if unknown.
std::optional<ReportFormat> named_format(std::string_view path);

// The whole report. Time and memory grow linearly with the number of frames. Invalid UTF-8 is written as
// replacement characters, so JSON and XML always parse. Needs: as many values in every metric, and in
// `timestamps` unless it is empty, as there are frames. Throws Error{kInternal} if that does not hold, and
// for kHtml: pages are written by write_page().
std::string write_report(const Report& report, const ReportStyle& style);
// Writes the same in pieces. Those of JSON have a bounded size, so that memory does not grow with the text.
using TextSink = std::function<void(std::string_view text)>;
void write_report(const Report& report, const ReportStyle& style, const TextSink& sink);

// Each of these writes one format. The contract is that of write_report().
std::string write_json(const Report& report, const ReportStyle& style);
void write_json(const Report& report, const ReportStyle& style, const TextSink& sink);
std::string write_json(const ScoreView& scores, const NumberStyle& numbers);
std::string write_xml(const ScoreView& scores, const NumberStyle& numbers);
std::string write_csv(const ScoreView& scores, const NumberStyle& numbers);
// Writes a CSV file for data frames: no line ends with a comma, and columns with the time and the model of
// each score are added.
std::string write_plain_csv(const Report& report, const NumberStyle& numbers);
std::string write_sub(const ScoreView& scores, const NumberStyle& numbers);

// Scores as lists alone.

// A list of the metrics' scores for each frame, as FFVship writes it: [[84.1], [83.9]]. A score that is not
// finite is null. Needs: metrics with equally many values.
std::string write_score_lists(std::span<const Metric* const> metrics, const NumberStyle& numbers);

// A line for each frame, "1: 84.100000", behind "skip: 1": the file of SSIMULACRA 2 scores from which
// auto-boost scripts make zones. They read no sign, and take what is below 0 for 0. Needs: every frame was
// scored.
std::string write_auto_boost(const Metric& metric);

// Reading of JSON reports: compatible and extended ones of this program, and those of libvmaf's tool.

// Scores that are null are infinite if the frame lists the metric as infinite, and for metrics that are never
// without a score (MetricInfo::is_unbounded); otherwise NaN.
struct ParsedReport {
  // Has scores. Width and height are those of the scored pictures, as in `run`, otherwise 0. Texts are empty
  // in frames that lack them, and aggregates NaN if they are null.
  Report report;
  // Writes it again without loss: every number as it was read, and as many worst moments. A report without
  // `run` is not extended.
  ReportStyle style;
};

enum class MissingScores { kRefused, kKept };
// Reports whose statistics are known as intervals only.
enum class OfSample { kRefused, kTaken };

// `path` is for messages. Throws Error{kInput} for text that is not JSON (with the byte), not a report (with
// the frame and the key), has no scores, or lacks some that may not be missing.
ParsedReport parse_report(std::string_view text, const std::string& path,
                          MissingScores missing = MissingScores::kRefused,
                          OfSample samples = OfSample::kRefused);

}  // namespace vq
