// The subcommand compare.
#pragma once

#include <string>
#include <vector>

#include "cli/output/messages.h"

namespace vq::cli {

// compare A B [...] [--by STATISTIC] [--metric NAME] [-o FILE] [--html FILE] and the flags of a scoring run, with
// which what is no JSON report is scored. Throws Error.
int run_compare(const std::vector<std::string>& words, Messages& messages);

}  // namespace vq::cli
