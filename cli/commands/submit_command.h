// `cambi submit`.
#pragma once

#include "cli/cluster/submit.h"
#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// What the words ask for. Throws Error{kUsage}.
SubmitRequest submit_request(const ParsedWords& words);

// Returns the exit code. Throws as submit_plan().
int run_submit(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
