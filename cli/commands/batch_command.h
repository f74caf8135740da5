// The subcommand batch.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// batch VIDEO|FOLDER ... --reports DIR [--list FILE] [--reference-dir DIR] [--root DIR] [--formats LIST] [--jobs N]
// [--force] and the flags of a scoring run. Returns 0, the code of the first video that failed, else 7 where a video crosses
// a threshold, or 128 + signal. Throws Error.
int run_batch(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
