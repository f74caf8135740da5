// The subcommand fingerprint.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// fingerprint FILE [...] [-o FILE] and the flags of a scoring run that say what is read and how: lists the
// hashes of videos, or compares two videos by them. Returns 7 where those differ. Throws Error.
int run_fingerprint(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
