// Subcommands that are programs of their own: "cambi NAME" starts "cambi-NAME".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/flag_parser.h"

namespace vq::cli {

// Replaces this program by another one, which lies beside it or in a folder of PATH. Throws Error{kUsage}.
[[noreturn]] void become_program(const std::string& name, const std::vector<std::string>& words);

// The same with cambi-NAME. It finds where this program is in CAMBI_PROGRAM, and gets flags under their long
// names, as --name or --name=text, then the arguments.
[[noreturn]] void become_external(std::string_view name, const ParsedArguments& words);

// Whether this program was started so.
bool is_external();

}  // namespace vq::cli
