// Reading of JSON reports: compatible and extended ones of this program, and those of libvmaf's tool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/report.h"
#include "engine/report/report_writer.h"

namespace vq {

// One metric of a report: a number for every frame, or nothing if the frame lacks it. Null means infinity if
// the frame lists the metric as infinite, and for metrics that are never without a score
// (MetricInfo::is_unbounded); otherwise NaN.
struct ScoreColumn {
  std::string name;
  std::vector<std::optional<double>> values;
};

struct ScoreTable {
  std::string path;     // for messages
  std::string version;  // of the tool that wrote it; may be empty
  std::optional<double> fps;
  std::vector<int64_t> frames;                             // ascending, at least one
  std::vector<std::optional<double>> timestamps;           // one per frame
  std::vector<ScoreColumn> columns;                        // in report order, at least one
  std::vector<TextSeries> texts;                           // in report order; empty if a frame lacks one
  std::vector<std::pair<std::string, double>> aggregates;  // in report order; NaN for null
  std::optional<RunFacts> run;                             // extended reports only
  std::vector<ModelFacts> models;                          // of a plain report: name and source of each
  std::vector<PairFault> pair_faults = {};                 // of a plain report
  std::optional<std::vector<std::string>>
      inner;                    // metrics that only models use; none if the report does not say
  std::optional<size_t> worst;  // maximum number of moments listed per metric; extended reports only
};

// `path` is for messages. Throws Error{kInput} for text that is not JSON (with the byte), not a report (with
// the frame and the key) or has no scores.
ScoreTable parse_report(std::string_view text, const std::string& path);

// The report that would be written from these scores. Width and height are those of the scored pictures, as
// in `run`, otherwise 0. Throws Error{kInput} if a frame lacks a metric.
Report to_report(const ScoreTable& table);

// The style that writes it again without loss: every number as it was read, and as many worst moments.
ReportStyle style_of(const ScoreTable& table);

}  // namespace vq
