// The subcommands that do not score: each takes the words after its name, prints to standard output and
// returns the exit code. They throw Error{kUsage} for a bad command line.
#pragma once

#include <string>
#include <vector>

#include "cli/output/messages.h"

namespace vq::cli {

// devices: every Vulkan device, and why those that cannot be used cannot.
int run_devices(const std::vector<std::string>& words, Messages& messages);

// features [NAME]: every feature, or the options of one with range, default and alias.
int run_features(const std::vector<std::string>& words, Messages& messages);

// info FILE: what the decoder sees. Throws as open_video().
int run_info(const std::vector<std::string>& words, Messages& messages);

// diff A.json B.json [--places N]: every metric of every frame. Returns 7 where they differ. Throws
// Error{kInput}.
int run_diff(const std::vector<std::string>& words, Messages& messages);

}  // namespace vq::cli
