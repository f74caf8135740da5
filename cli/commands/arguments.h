// The command line of a scoring run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/flag_parser.h"
#include "cli/inputs/run_options.h"

namespace vq::cli {

// `own`: flags beside those of a run; nothing is set by those. Throws Error{kUsage}.
ParsedArguments parse_run_words(const std::vector<std::string>& words, std::span<const Flag> own = {});

// What they ask for. `is_vmaf`: as libvmaf's program does, which scores vmaf_v0.6.1 where no model is named,
// and any pair as it is stored. Throws Error{kUsage}, Error{kMismatch} for impossible picture sizes.
RunOptions run_options(const ParsedArguments& words, bool is_vmaf = false);

// The same where no video is needed; then RunOptions::distorted is empty.
RunOptions run_options_of_any(const ParsedArguments& words);

// Several videos or reports with one set of flags; `arguments.distorted` is the first of them.
struct SeveralArguments {
  RunOptions arguments;
  std::vector<std::string> paths;  // at least one
};

// The same for any number of paths; `feature`: scored beside those of --feature, empty: none. Throws as
// run_options().
SeveralArguments several_options(const ParsedArguments& words, std::string_view feature = {});

}  // namespace vq::cli
