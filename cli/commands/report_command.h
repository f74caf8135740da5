// The subcommand report.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// report RUN.json [-o PAGE.html]: the page of a saved report; without -o beside it, as RUN.html, or on
// standard output for one from standard input. Throws Error{kInput}, Error{kOutput}, and Error{kUsage} also
// in a build without pages.
int run_report(const ParsedWords& words, Messages& messages);

}  // namespace vq::cli
