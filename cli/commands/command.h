// The program: its subcommands and the scoring run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/system/messages.h"

namespace vq::cli {

// `program` is the name by which the program was called, with or without a folder. As "vmaf" it has no
// subcommands, and uses libvmaf's default model. `words` is the rest of the command line. Returns the exit
// code. Throws Error.
int run_command(std::string_view program, const std::vector<std::string>& words, Messages& messages);

}  // namespace vq::cli
