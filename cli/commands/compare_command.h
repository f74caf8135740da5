// The subcommand compare.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// compare A B [...] [--by STATISTIC] [--metric NAME] [-o FILE] [--html FILE] and the flags of a scoring run, with
// which what is no JSON report is scored. Throws Error.
int run_compare(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
