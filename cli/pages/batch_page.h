// The page over all videos of a batch.
#pragma once

#include <string>

#include "cli/reports/batch_summary.h"

namespace vq::cli {

// It lies in the folder of the reports, to which it links by relative paths. Under 2 kB for each video,
// beside what every page has. No text of the summary can become markup. Throws Error{kUsage} in a build
// without pages.
std::string write_batch_page(const BatchSummary& summary);

}  // namespace vq::cli
