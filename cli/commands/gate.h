// The subcommand gate.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// gate -r REF -d DIST [--backends cpu,hybrid,vulkan] [--places 4] [-o FILE.json] and the flags of a scoring run.
// Returns 7 where a backend differs. Throws Error.
int run_gate(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
