// The common part of all programs around their commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/system/messages.h"

namespace vq::cli {

// `program` is the name by which the program was called, with or without a folder, `words` the rest of the
// command line. Returns the exit code. Throws Error.
using Command = int (*)(std::string_view program, const std::vector<std::string>& words, Messages& messages);

// main() without the command: signals, standard streams, and the message and exit code of exceptions.
int run_program(int argc, char** argv, Command command);

}  // namespace vq::cli
