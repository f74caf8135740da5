// The subcommand bench.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// bench [VIDEO]: how fast this machine decodes and scores it, and what limits. Code 4 where a backend failed;
// the others are shown. Throws Error.
int run_bench_command(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
