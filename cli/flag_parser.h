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

// Takes "--flag value" or "--flag=value" out of the words, for what a subcommand has on top of another
// grammar. The last one counts; `otherwise` where there is none.
std::string take_flag(std::vector<std::string>& words, const std::string& flag, const std::string& otherwise);

}  // namespace vq::cli
