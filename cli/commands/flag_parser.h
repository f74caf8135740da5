// Parsing of a command line by a table of flags. In long flags "-" and "_" are equivalent; an error for an
// unknown flag names the nearest one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/flags.h"

namespace vq::cli {

struct GivenFlag {
  const Flag* flag;
  std::string text;  // meaningless if the flag takes no value
};

struct ParsedArguments {
  std::vector<std::string> original = {};
  // In the order given; a flag that may not repeat is at the position of its last occurrence.
  std::vector<GivenFlag> flags = {};
  std::vector<std::string> arguments = {};
  bool asks_for_help = false;  // then everything else is empty

  // The text of the last flag of that name; null if it was not given.
  const std::string* find(std::string_view name) const;
};

// `flags`: each name once; --help is always known. Throws Error{kUsage}.
ParsedArguments parse_words(const std::vector<const Flag*>& flags, const std::vector<std::string>& words);

}  // namespace vq::cli
