// A ranking as files for programs and documents.
#pragma once

#include "cli/reports/compare.h"
#include "core/text_table.h"
#include "core/worker_pool.h"
#include "engine/report/report_writer.h"
#include "engine/report/threshold.h"

namespace vq::cli {

// Files of a ranking. The runs need to be ranked, and all to have the metrics. Statistics are those of the
// extended report, the share of noteworthy frames, and the one that ranks. A value that is not a number is
// null in JSON and empty elsewhere.

struct ComparisonFileStyle {
  NumberStyle numbers = {};
  size_t moments = 6;  // maximum number of moments of each kind, in JSON
};
std::string comparison_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            const ComparisonFileStyle& style = {});
std::string comparison_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                           const NumberStyle& numbers);
// A run of a comparison that was written as JSON.
struct RecordedRun {
  std::string name, path;
  // As NamedReport::saved. A relative path that does not exist is looked up beside the file of the
  // comparison.
  std::string saved;
};
// Reads the runs of a comparison. Returns nothing if the file does not begin as a comparison does. Throws
// Error{kInput} if the file cannot be read, or names no saved report for one of the runs, since the scores of
// frames are in these reports alone.
std::optional<std::vector<RecordedRun>> recorded_runs(const std::string& path);

// Writes the columns of comparison_table(), and rates_markdown() if rates are known.
std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// A ranking as a table.

// The table for people. The statistic that ranks comes first, then the means of the other metrics, then what
// the runs cost in bits if that is known. Needs: the runs are ranked and all have the metrics.
TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Reports as files.

// Reads the file, or standard input for "-". `stop` ends the waiting. Throws Error{kInput} if the file cannot
// be read, is over 512 MiB, or is refused by parse_report().
ParsedReport read_report(const std::string& path, StopToken stop = {},
                         MissingScores missing = MissingScores::kRefused,
                         OfSample samples = OfSample::kRefused);
// Reads a report to measure thresholds from. Throws as read_report().
Baseline read_baseline(const std::string& path, StopToken stop = {});

// Rate and quality of ranked runs, as tables.

// Lines on rate and quality: the run to choose, the runs that another beats, the differences between curves,
// whether the curves reach the target, and the ladder. What is not known is left out; the text is empty if
// rates are not known. `width` is the number of the terminal's columns; 0: unlimited.
std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t width);
std::string rates_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Columns of a CSV file: the name of the run's curve, the size of its pictures, whether it is on the hull and
// whether it is a rung, its curve's differences from the anchor, the rate and the size at which the curve
// reaches the target, and the differences by each other metric. A field is empty if it is not known.
struct CsvColumns {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> fields;  // of each run
};
CsvColumns rates_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const NumberStyle& numbers);

}  // namespace vq::cli
