// The subcommand info.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// info FILE ... [--stream N] [--json]: what the decoder sees. Of several files those that are no videos are
// told as errors, and the code is that of the first. Throws Error.
int run_info(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
