// Implementations of subcommands; subcommand_table.cpp lists them with their flags. Each returns the exit
// code and throws Error; those of the first paragraph print to standard output.
#pragma once

#include "cli/commands/flags.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Lists every Vulkan device, and why a device cannot be used; with --json also this machine's cores and
// memory.
int run_devices(const ParsedArguments& typed, Messages& messages);
// Lists every feature, or the options of one with range, default and alias.
int run_features(const ParsedArguments& typed, Messages& messages);
// Lists the built-in models and their purposes.
int run_models(const ParsedArguments& typed, Messages& messages);
// Compares every metric of every frame of two reports. 7 if they differ.
int run_diff(const ParsedArguments& typed, Messages& messages);
// Describes files as the decoder sees them. Files that are no videos are reported as errors, and the code is
// that of the first.
int run_info(const ParsedArguments& typed, Messages& messages);

// 7 if the pair is not aligned.
int run_align(const ParsedArguments& typed, Messages& messages);
// 0, the code of the first video that failed, otherwise 7 if one crosses a threshold, or 128 + signal.
int run_batch(const ParsedArguments& typed, Messages& messages);
// Ranks reports, and videos, which it scores first.
int run_compare(const ParsedArguments& typed, Messages& messages);
// Prints hashes of videos, or a comparison of two by their hashes. 7 if they differ.
int run_fingerprint(const ParsedArguments& typed, Messages& messages);
// 7 if a backend differs.
int run_gate(const ParsedArguments& typed, Messages& messages);
// Writes the page of a saved report; without -o beside it, as RUN.html, or to standard output if the report
// comes from standard input.
int run_report(const ParsedArguments& typed, Messages& messages);

// 0, or the code of the first video that could not be planned.
int run_plan(const ParsedArguments& typed, Messages& messages);
// 0 if all shards are done, the code of the first that failed, or 128 + signal.
int run_shard_command(const ParsedArguments& typed, Messages& messages);
// 0, 6 if shards are missing or failed, or 7 if a threshold is crossed.
int run_merge(const ParsedArguments& typed, Messages& messages);

}  // namespace vq::cli
