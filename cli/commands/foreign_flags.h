// Flags of other programs, with what says the same here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/commands/flags.h"

namespace vq::cli {

// Throws Error{kUsage} if a word is a flag of another program (of FFmpeg with its filters, ab-av1, FFVship or
// ssimulacra2_rs) and none of these flags. The message has the whole command as it is written here, which
// begins with `command`.
void refuse_foreign_flags(std::span<const Flag* const> flags, const std::vector<std::string>& typed,
                          const std::string& command);

// Throws Error{kUsage} in the same way if the first word is a subcommand of another program.
void refuse_foreign_command(const std::vector<std::string>& typed);

// As a shell takes it: in quotes if it needs them, escaped (as Bash has it) if it is no line of text.
std::string shell_word(const std::string& word);

}  // namespace vq::cli
