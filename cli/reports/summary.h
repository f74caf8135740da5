// The findings of a run, for people.
#pragma once

#include "cli/reports/compare.h"
#include "core/text_table.h"
#include "engine/report/report.h"

namespace vq::cli {

struct SummaryStyle {
  bool colour = false;
  // They stand at the end of the line about the run, two spaces apart: "eotf=pq (from the stream)".
  std::vector<std::string> notes = {};
  size_t worst = 3;       // moments that are listed
  size_t width = 0;       // columns of the terminal; tables fit it if they can; 0: unlimited
  bool is_plain = false;  // one table for all metrics, with their statistics in the order of files
};

// Lines about the inputs, the run, each metric and the worst moments (engine/report/scenes.h), each with a
// line end. Needs: what write_report() needs, and in report.run inputs, backend, simd, device, driver and
// threads.
std::string summary_text(const Report& report, const SummaryStyle& style);

// The statistics that people want to see, for each metric that was requested or that the run is judged by. If
// there are many metrics, those that are details are left out. Metrics of which the same side is better share
// a table, so that a column means the same whatever else was scored; with `is_plain` all metrics share one.
// Empty if there are no metrics or no scores.
std::vector<TextTable> statistics_tables(const Report& report, bool is_plain = false);
// Where the statistics of a sample lie that were asked for, and the least and the most that was scored.
// Needs: is_sample(), here and below.
TextTable intervals_table(const Report& report);
// "99 % sure after 6 % of the frames: 1440 of 24000 frames were scored, ..."
std::string sample_sentence(const Report& report);
// The purposes of those scores of models that are listed, a line each; see purpose_of().
std::vector<std::string> purposes(const Report& report);

// Remarks on a comparison, a sentence each, the most serious first. They say that runs are not comparable;
// that lengths, frames, sizes, rates, references or the scored parts of pictures differ between runs; that
// scores are missing or a run ended early; that bit rates are not those of the streams alone; that the anchor
// is unknown; that the first run is only the lowest. Needs: the runs are ranked and all have the metric.
std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
