// A ranking as files for programs and documents.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/reports/compare.h"

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
// Nothing where the beginning of the file is not that of a comparison. Throws Error{kInput} where the file
// cannot be read, and where it knows no report of a run, since scores of frames are in these alone.
std::optional<std::vector<RecordedRun>> recorded_runs(const std::string& path);

// The columns of comparison_table(), and what there is of rates_markdown().
std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
