// Subcommands that are separate programs: "cambi NAME" starts "cambi-NAME".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/flag_parser.h"

namespace vq::cli {

// Replaces this program by another one from the same folder or PATH. Throws Error{kUsage}.
[[noreturn]] void become_program(const std::string& name, const std::vector<std::string>& words);

// The same with cambi-NAME. It receives the path of this program in CAMBI_PROGRAM, flags with their long
// names, as --name or --name=text, then the arguments; stopping signals are blocked (interrupt.h).
[[noreturn]] void become_external(std::string_view name, const ParsedArguments& words);

// Whether this program was started by become_external().
bool is_external();

}  // namespace vq::cli
