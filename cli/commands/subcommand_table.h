// The subcommands of the program.
#pragma once

#include <span>
#include <string>

#include "cli/commands/flags.h"

namespace vq::cli {

// In the order of the help.
std::span<const Subcommand> subcommands();

// Null where there is none of that name.
const Subcommand* find_subcommand(const std::string& name);

// A name that the word is nearly; empty where there is none.
std::string nearest_subcommand(const std::string& word);

}  // namespace vq::cli
