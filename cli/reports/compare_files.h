// A ranking as files for programs and documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/reports/compare.h"
#include "core/text_table.h"
#include "core/worker_pool.h"
#include "engine/report/report_reader.h"
#include "engine/report/threshold.h"

namespace vq::cli {

// Each needs ranked runs that all have the metrics. Statistics are those of the extended report and the share
// of noteworthy frames, and the one that ranks. What is not a number is null in JSON and empty elsewhere.
struct ComparisonFileStyle {
  NumberStyle numbers = {};
  size_t moments = 6;  // maximum number of each kind, in JSON
};
std::string comparison_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            const ComparisonFileStyle& style = {});
std::string comparison_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                           const NumberStyle& numbers);
// A run of a comparison that was written as JSON.
struct RecordedRun {
  std::string name, path;
  std::string saved;  // as NamedReport::saved; a relative path that is not there is one beside the file
};
// Nothing if the beginning of the file is not that of a comparison. Throws Error{kInput} if the file cannot
// be read, and if it knows no report of a run, since scores of frames are in these alone.
std::optional<std::vector<RecordedRun>> recorded_runs(const std::string& path);

// The columns of comparison_table(), and what there is of rates_markdown().
std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// A ranking as a table.

// The table for people; of the statistics the one that ranks comes first, then the means of the other
// metrics, and what the runs cost in bits if that is known. Needs: ranked runs that all have the metrics.
TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Reports as files.

// Reads the file, or standard input for "-"; `stop` is asked while waiting and ends it. Throws
// Error{kInput}: what cannot be read, is over 512 MiB, and what parse_report() refuses.
ParsedReport read_report(const std::string& path, StopToken stop = {},
                         MissingScores missing = MissingScores::kRefused);
// Throws as read_report().
Baseline read_baseline(const std::string& path, StopToken stop = {});

// Rate and quality of ranked runs, as tables.

// The run to choose and the runs that another beats, the differences between curves, if they reach the
// target, and the ladder: what there is of these, each with a line end, and empty if rates are not known.
// `width`: columns of the terminal; 0: unlimited.
std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t width);
std::string rates_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Columns of a CSV file: what the run's curve is called, the size of its pictures,
// whether it is on the hull and a rung, its curve's differences from the anchor, the rate and the size at
// which it reaches the target, and the differences by each other metric. Empty if that is not known.
struct CsvColumns {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> fields;  // of each run
};
CsvColumns rates_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const NumberStyle& numbers);

}  // namespace vq::cli
