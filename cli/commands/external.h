// Subcommands that are programs of their own: "cambi NAME" starts "cambi-NAME".
#pragma once

#include <string_view>

#include "cli/commands/flag_parser.h"

namespace vq::cli {

// Replaces this program by cambi-NAME, which lies beside it or in a folder of PATH, and says by CAMBI_PROGRAM where
// this one is. It gets flags under their long names, as --name or --name=text, then the arguments. Throws Error{kUsage}.
[[noreturn]] void become_external(std::string_view name, const ParsedWords& words);

}  // namespace vq::cli
