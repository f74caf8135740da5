// The subcommands of the program.
#pragma once

#include <span>
#include <string>

#include "cli/commands/flags.h"

namespace vq::cli {

// In the order of the help.
std::span<const Subcommand> subcommands();

// Null if there is no subcommand of that name.
const Subcommand* find_subcommand(const std::string& name);

// The name nearest to the word; empty if none is near.
std::string nearest_subcommand(const std::string& word);

}  // namespace vq::cli
