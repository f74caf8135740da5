// The subcommand plan.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// plan VIDEO|FOLDER ... -o PLAN.json [--list FILE] [--reference-dir DIR] [--root DIR] [--results DIR] [--shard-frames N]
// [--shard-seconds S] [--shards N] and the flags that say what is scored. Returns 0, or the code of the first video that could
// not be planned. Throws Error.
int run_plan(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
