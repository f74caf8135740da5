// The subcommand shard.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// shard PLAN [--index LIST] [--each N] and flags that say how to run. Returns 0 where all shards are done, the code of the first
// that failed, or 128 + signal. Throws Error.
int run_shard_command(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
