// The program: its subcommands and the scoring run.
#pragma once

#include <string>
#include <vector>

#include "cli/messages.h"

namespace vq::cli {

// `words` is the command line without the program's name. Returns the exit code. Throws Error.
int run_command(const std::vector<std::string>& words, Messages& messages);

}  // namespace vq::cli
