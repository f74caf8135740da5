// The command line of a scoring run, parsed.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/run/run_options.h"

namespace vq::cli {

// What to do instead of scoring.
struct TextRequest {
  std::string text;  // to be printed on standard output
  bool is_help = false;
};

// A flag that a subcommand has on top of those of a run.
struct ExtraFlag {
  std::string name;
  std::function<void(const std::string& text)> set;
};

// Throws Error{kUsage}, Error{kMismatch} for impossible picture sizes, and what setters of `extra` throw.
std::variant<RunOptions, TextRequest> parse_arguments(const std::vector<std::string>& words,
                                                     const std::vector<ExtraFlag>& extra = {});

// Several videos or reports with one set of flags; `arguments.distorted` is the first of them.
struct SeveralArguments {
  RunOptions arguments;
  std::vector<std::string> paths;  // at least one
};

// The same grammar with any number of positionals. Throws as parse_arguments().
std::variant<SeveralArguments, TextRequest> parse_several(const std::vector<std::string>& words,
                                                          const std::vector<ExtraFlag>& extra = {});

}  // namespace vq::cli
