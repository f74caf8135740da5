// The subcommand align.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// align REFERENCE DISTORTED [--window N] [--frames N] [--json] [-o FILE.json]. Returns 7 where the pair is
// not aligned. Throws Error.
int run_align(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
