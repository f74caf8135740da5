// What every program does around what its command line asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/system/messages.h"

namespace vq::cli {

// `program` is the name that the program was called by, with or without a folder, `words` the rest of the
// command line. Returns the exit code. Throws Error.
using Command = int (*)(std::string_view program, const std::vector<std::string>& words, Messages& messages);

// main() but for the command: signals, standard streams, and the message and exit code of what the command
// throws.
int run_program(int argc, char** argv, Command command);

}  // namespace vq::cli
