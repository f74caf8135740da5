// A ranking as a table.
#pragma once

#include <vector>

#include "cli/reports/compare.h"
#include "core/text/text_table.h"

namespace vq::cli {

// The table for people; of the statistics the one that ranks comes first, then the means of the other
// metrics, and what the runs cost in bits where that is known. Needs: ranked runs that all have the metrics.
TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
