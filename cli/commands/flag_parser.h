// A command line, taken apart by a table of flags. In the name of a long flag "-" and "_" are one; a flag
// that is not known is told with the nearest that is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/flags.h"

namespace vq::cli {

struct GivenFlag {
  const Flag* flag;
  std::string text;  // says nothing where the flag takes none
};

struct ParsedArguments {
  std::vector<std::string> original = {};
  // In the order given; one that may not repeat stands where it was given last.
  std::vector<GivenFlag> flags = {};
  std::vector<std::string> arguments = {};
  bool asks_for_help = false;  // then there is nothing else in it

  // The text of the last flag of that name; null where it was not given.
  const std::string* find(std::string_view name) const;
};

// `flags`: each name once; --help is known without them. Throws Error{kUsage}.
ParsedArguments parse_words(const std::vector<const Flag*>& flags, const std::vector<std::string>& words);

}  // namespace vq::cli
