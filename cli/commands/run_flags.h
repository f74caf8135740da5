// The flags of a scoring run.
#pragma once

#include <vector>

#include "cli/commands/flags.h"

namespace vq::cli {

// The topics of the help, in its order; every flag has `set`. Those that features own are in a
// topic without a name: `cambi features NAME` prints them.
const std::vector<Topic>& topics();

// Null if there is no topic of that name.
const Topic* find_topic(std::string_view name);

// Null if there is no flag of that name.
const Flag* find_run_flag(std::string_view name);

}  // namespace vq::cli
