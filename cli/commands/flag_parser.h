// What every command line of the program shares on top of CLI11: "-" and "_" are one inside a flag's name,
// unknown flags are told with the nearest known one, and faults are Error{kUsage} in one line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vq::cli {

// Parses `words` with the flags declared in `app`. Returns the help text where that was asked for. Throws
// Error{kUsage}.
std::optional<std::string> parse_flags(CLI::App& app, std::vector<std::string> words);

// For a subcommand that is called without what it needs: prints its help on standard error and throws
// Error{kUsage} with `missing`.
[[noreturn]] void refuse_bare(const std::string& help, const std::string& missing);

}  // namespace vq::cli
