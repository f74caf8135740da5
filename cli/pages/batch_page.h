// The overview page of a batch.
#pragma once

#include <string>

#include "cli/reports/batch_summary.h"

namespace vq::cli {

// Belongs in the folder of the reports, to which it links by relative paths. Under 2 kB per video, in
// addition to the fixed part of a page. No text of the summary can become markup. Throws Error{kUsage} in a
// build without pages.
std::string write_batch_page(const BatchSummary& summary);

}  // namespace vq::cli
