// What ranked runs say about rate and quality, as tables.
#pragma once

#include <string>
#include <vector>

#include "cli/reports/compare.h"

namespace vq::cli {

// The run to choose and the runs that another beats, the differences between curves, where they
// reach the target, and the ladder: what there is of these, each with a line end, and empty where rates are
// not known. `width`: columns of the terminal; 0: unlimited.
std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t width);
std::string rates_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Columns of a CSV file, each after a comma: what the run's curve is called, the size of its pictures,
// whether it is on the hull and a rung, its curve's differences from the anchor, the rate and the size at
// which it reaches the target, and the differences by each other metric. Empty where that is not known.
struct CsvColumns {
  std::string heading;
  std::vector<std::string> fields;  // of each run
};
CsvColumns rates_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const NumberStyle& numbers);

}  // namespace vq::cli
