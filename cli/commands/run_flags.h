// The flags of a scoring run.
#pragma once

#include <vector>

#include "cli/commands/flags.h"

namespace vq::cli {

// In the order of the help; every flag has `set`. Those of features are among them.
const std::vector<FlagGroup>& run_flags();

// The one of that name; null: there is none.
const Flag* find_run_flag(std::string_view name);

}  // namespace vq::cli
