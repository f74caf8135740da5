// What subcommands do with the words that follow their names, which subcommand_table.cpp lists with their
// flags. Each returns the exit code and throws Error; those of the first paragraph print to standard output.
#pragma once

#include "cli/commands/flag_parser.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Every Vulkan device, and why those that cannot be used cannot; with --json this machine's cores and memory
// as well.
int run_devices(const ParsedArguments& words, Messages& messages);
// Every feature, or the options of one with range, default and alias.
int run_features(const ParsedArguments& words, Messages& messages);
// The built-in models, and what they are for.
int run_models(const ParsedArguments& words, Messages& messages);
// Every metric of every frame of two reports. 7 where they differ.
int run_diff(const ParsedArguments& words, Messages& messages);
// What the decoder sees of files. Those that are no videos are told as errors, and the code is that of the
// first.
int run_info(const ParsedArguments& words, Messages& messages);

// 7 where the pair is not aligned.
int run_align(const ParsedArguments& words, Messages& messages);
// 0, the code of the first video that failed, else 7 where one crosses a threshold, or 128 + signal.
int run_batch(const ParsedArguments& words, Messages& messages);
// Ranks reports, and videos, which it scores first.
int run_compare(const ParsedArguments& words, Messages& messages);
// Hashes of videos, or a comparison of two by them. 7 where they differ.
int run_fingerprint(const ParsedArguments& words, Messages& messages);
// 7 where a backend differs.
int run_gate(const ParsedArguments& words, Messages& messages);
// The page of a saved report; without -o beside it, as RUN.html, or on standard output for one from standard
// input.
int run_report(const ParsedArguments& words, Messages& messages);

// 0, or the code of the first video that could not be planned.
int run_plan(const ParsedArguments& words, Messages& messages);
// 0 where all shards are done, the code of the first that failed, or 128 + signal.
int run_shard_command(const ParsedArguments& words, Messages& messages);
// 0, 6 where shards are missing or failed, or 7 where a threshold is crossed.
int run_merge(const ParsedArguments& words, Messages& messages);

// What --places says.
int places_of(const ParsedArguments& words);

}  // namespace vq::cli
