// What a reader of a ranking should know before believing it.
#pragma once

#include <string>
#include <vector>

#include "cli/reports/compare.h"

namespace vq::cli {

// A sentence each, most serious first: that runs are not comparable, that lengths, frames, sizes, rates,
// references or what was scored of the pictures differ between the runs, that scores are missing or a run was
// ended early, that bit rates are not those of the streams alone, that the first is only the lowest. Needs:
// ranked runs that all have the metric.
std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
