// What the page of a comparison knows beside its reports.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/reports/compare.h"

namespace vq::cli {

// The ranking by each metric that is shown, that of the comparison first: {metric, words, descending, order,
// values, remarks, differing, worst}. `order` has places in `runs`; values and scores of moments are in the
// order of `runs`. `moments`: at most so many of each kind.
nlohmann::ordered_json comparison_choices(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                          size_t moments);

// How the run was judged: {expression, crossed, text} for each threshold.
nlohmann::ordered_json judgements(const NamedReport& run);

}  // namespace vq::cli
