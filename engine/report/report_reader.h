// Reading of JSON reports: compatible and extended ones of this program, and those of libvmaf's tool.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/report.h"
#include "engine/report/report_writer.h"

namespace vq {

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
