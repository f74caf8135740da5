// A ranking as files for programs and documents.
#pragma once

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
// The columns of comparison_table(), and what there is of rates_markdown().
std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
