// The subcommand merge.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// merge PLAN -o FILE, or merge PLAN --reports DIR [--formats LIST] [--by STATISTIC], and the flags of a run that say what is
// written. Returns 0, 6 where shards are missing or failed, or 7 where a threshold is crossed. Throws Error.
int run_merge(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
