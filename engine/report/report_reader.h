// JSON reports read back: those of this program, compatible or extended, and those of libvmaf's tool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/report/name_order.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"

namespace vq {

// One metric as a report has it: for every frame a number, or nothing where the frame lacks it. Null is
// infinity where the frame lists the metric as infinite, and for metrics that are never without a score
// (MetricInfo::is_unbounded); else NaN.
struct ScoreColumn {
  std::string name;
  std::vector<std::optional<double>> values;
};

struct ScoreTable {
  std::string path;     // for messages
  std::string version;  // of the tool that wrote it; may be empty
  std::optional<double> fps;
  std::vector<int64_t> frames;                    // ascending, at least one
  std::vector<std::optional<double>> timestamps;  // as many
  std::vector<ScoreColumn> columns;               // in the order of the report, at least one
  std::vector<TextSeries> texts;                  // in the order of the report; empty where a frame lacks one
  std::vector<std::pair<std::string, double>>
      aggregates;                  // in the order of the report; not a number for null
  std::optional<RunFacts> run;     // extended reports only
  std::vector<ModelFacts> models;  // of a plain report: name and source of each
  std::optional<std::vector<std::string>>
      inner;                    // metrics that only models asked for; none where the report does not say
  std::optional<size_t> worst;  // the most moments it lists of a metric; extended reports only
};

// `path` is for messages. Throws Error{kInput}: what is no JSON (with the byte), no report (with the frame
// and the key) or has no scores.
ScoreTable parse_report(std::string_view text, const std::string& path);

// The report that would be written from these scores. Width and height are those of what was scored, as `run`
// has them, else 0. Throws Error{kInput} where a frame lacks a metric.
Report to_report(const ScoreTable& table);

// How to write it again so that nothing is lost: every number as it was read, as many worst moments.
ReportStyle style_of(const ScoreTable& table);

// `run` is the report's member of that name, `order` that of the whole report. What is missing, or of another
// type, is left as it starts.
RunFacts read_run_facts(const nlohmann::json& run, const NameOrder& order);

}  // namespace vq
