// The findings of a run, for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/reports/compare.h"
#include "core/text_table.h"
#include "engine/report/report.h"

namespace vq::cli {

struct SummaryStyle {
  bool colour = false;
  // End the line about the run, two spaces apart: "eotf=pq (from the stream)".
  std::vector<std::string> notes = {};
  size_t worst = 3;       // moments that are listed
  size_t width = 0;       // columns of the terminal, which tables fit if they can; 0: none
  bool is_plain = false;  // one table for all metrics, with their statistics in the order of files
};

// Lines about the inputs, the run, each metric and the worst moments (engine/report/scenes.h), each with a
// line end. Needs: as write_report(); inputs, backend, simd, device, driver and threads of report.run.
std::string summary_text(const Report& report, const SummaryStyle& style);

// For each metric that was requested, or that the run is judged by, the statistics that people want to see;
// of many metrics without those that are details. Metrics of which the same side is better share a table, so
// that a column means the same whatever else was scored, unless it is plain. Empty where there are no metrics
// or no scores.
std::vector<TextTable> statistics_tables(const Report& report, bool is_plain = false);
// Purposes of the listed scores of models, a line each; see purpose_of().
std::vector<std::string> purposes(const Report& report);

// A sentence each, most serious first: that runs are not comparable, that lengths, frames, sizes, rates,
// references or what was scored of the pictures differ between the runs, that scores are missing or a run was
// ended early, that bit rates are not those of the streams alone, that the anchor is unknown, that the first
// is only the lowest. Needs: ranked runs that all have the metric.
std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
