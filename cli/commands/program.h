// The common part of all programs around their commands.
#pragma once

#include "cli/commands/flags.h"
#include "cli/system/messages.h"

namespace vq::cli {

// `program` is the name by which the program was called, with or without a folder, `typed` the rest of the
// command line. Returns the exit code. Throws Error.
using Command = int (*)(std::string_view program, const std::vector<std::string>& typed, Messages& messages);

// main() without the command: signals, standard streams, and the message and exit code of exceptions.
int run_program(int argc, char** argv, Command command);

// The program: its subcommands and the scoring run.

// `program` is the name by which the program was called, with or without a folder. As "vmaf" it has no
// subcommands, and uses libvmaf's default model. `typed` is the rest of the command line. Returns the exit
// code. Throws Error.
int run_command(std::string_view program, const std::vector<std::string>& typed, Messages& messages);

// Subcommands that are separate programs: "cambi NAME" starts "cambi-NAME".

// Replaces this program by another one from the same folder or PATH. Throws Error{kUsage}.
[[noreturn]] void become_other(const std::string& name, const std::vector<std::string>& typed);

// Whether this program was started by another, as `cambi NAME` starts cambi-NAME. It receives the path of
// that one in CAMBI_PROGRAM, flags with their long names, as --name or --name=text, then the arguments;
// stopping signals are blocked (process.h).
bool is_external();

}  // namespace vq::cli
