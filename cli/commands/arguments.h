// The command line of a scoring run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/flag_parser.h"
#include "cli/inputs/run_options.h"

namespace vq::cli {

// `own`: additional flags, which have no effect on the run. Throws Error{kUsage}.
ParsedArguments parse_run_words(const std::vector<std::string>& words, std::span<const Flag> own = {},
                                const std::string& command = "cambi");

// The options of a run. `is_vmaf`: like libvmaf's program, with vmaf_v0.6.1 as the default model, and without
// conversions of range or refusals of pairs. Throws Error{kUsage}, and Error{kMismatch} for impossible
// picture sizes.
RunOptions run_options(const ParsedArguments& words, bool is_vmaf = false);

// The same without requiring a video; RunOptions::distorted is then empty.
RunOptions run_options_of_any(const ParsedArguments& words);

// Several videos or reports with one set of flags; `arguments.distorted` is the first of them.
struct SeveralArguments {
  RunOptions arguments;
  std::vector<std::string> paths;  // at least one
};

// The same for any number of paths. `feature` is scored in addition to those of --feature; empty: none.
// Throws as run_options().
SeveralArguments several_options(const ParsedArguments& words, std::string_view feature = {});

}  // namespace vq::cli
