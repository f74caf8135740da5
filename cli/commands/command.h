// The program: its subcommands and the scoring run.
#pragma once

#include <string>
#include <vector>

#include "cli/system/messages.h"
#include "core/error.h"

namespace vq::cli {

// `words` is the command line without the program's name. Returns the exit code. Throws Error.
int run_command(const std::vector<std::string>& words, Messages& messages);

// What to try where these words ended with this error; empty where the error says it itself, as those of the
// command line and the inputs do.
std::string advice(const Error& error, const std::vector<std::string>& words);

}  // namespace vq::cli
