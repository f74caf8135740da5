// Data of a comparison's page beyond its reports.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/reports/compare.h"

namespace vq::cli {

// The ranking by each shown metric, that of the comparison first: {metric, words, descending, order, values,
// remarks, rates, differing, worst}. `order` and `rates` have indices into `runs`; values and scores of
// moments are in the order of `runs`. `moments`: maximum number of each kind.
nlohmann::ordered_json comparison_choices(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                          size_t moments);

// Results of the run's thresholds: {expression, crossed, text} for each.
nlohmann::ordered_json judgements(const NamedReport& run);

}  // namespace vq::cli
