// The subcommands that do not score: each takes what follows its name, as subcommand_table.cpp says, prints
// to standard output and returns the exit code. They throw Error{kUsage} for values that cannot be.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/output/messages.h"

namespace vq::cli {

// devices: every Vulkan device, and why those that cannot be used cannot.
int run_devices(const ParsedWords& words, Messages& messages);

// features [NAME]: every feature, or the options of one with range, default and alias.
int run_features(const ParsedWords& words, Messages& messages);

// models [--licence]: the built-in models, and what they are for.
int run_models(const ParsedWords& words, Messages& messages);

// diff A.json B.json [--places N]: every metric of every frame. Returns 7 where they differ. Throws
// Error{kInput}.
int run_diff(const ParsedWords& words, Messages& messages);

// What --places says. Throws Error{kUsage}.
int places_of(const ParsedWords& words);

}  // namespace vq::cli
