// The command line of a scoring run.
#pragma once

#include "cli/batch/video_list.h"
#include "cli/cluster/plan.h"
#include "cli/commands/flags.h"
#include "cli/inputs/run_options.h"
#include "engine/report/report_writer.h"

namespace vq::cli {

// `own`: additional flags, which have no effect on the run. Throws Error{kUsage}.
ParsedArguments parse_run_words(const std::vector<std::string>& typed, std::span<const Flag> own = {});

// The values of the flags of a run that were given, each by itself. Throws Error{kUsage}.
RunOptions given_options(const ParsedArguments& typed);
// Sets the raw format that -w, -h, -p and -b describe. Throws Error{kUsage} if only some are given.
void finish_raw(RunOptions& options);
// Sets what the flags for segments and scenes say together, and reads a list of scenes. Throws Error{kUsage},
// and Error{kInput} for the list.
void finish_segments(RunOptions& options);

// The options of a run. `is_vmaf`: like libvmaf's program, with vmaf_v0.6.1 as the default model, and without
// conversions of range or refusals of pairs. Throws Error{kUsage}, and Error{kMismatch} for impossible
// picture sizes.
RunOptions run_options(const ParsedArguments& typed, bool is_vmaf = false);

// The same without requiring a video; RunOptions::distorted is then empty.
RunOptions run_options_of_any(const ParsedArguments& typed);

// The same for any number of videos or reports, at least one; RunOptions::distorted is the first of them.
// `feature` is scored in addition to those of --feature; empty: none. Throws as run_options().
RunOptions several_options(const ParsedArguments& typed, std::string_view feature = {});

// Command-line arguments for lists of videos.

// Throws Error{kUsage} for an empty path, which was given with the flag.
void check_path(std::string_view flag, const std::string& path);

// A word as a shell takes it: in quotes if it needs them, escaped (as Bash has it) if it is no line of text.
std::string shell_word(const std::string& word);

// The path given with the flag; empty if the flag was not given. Throws Error{kUsage} for an empty path.
std::string typed_path(const ParsedArguments& typed, std::string_view flag);
// The same of a folder, without slashes at its end.
std::string typed_folder(const ParsedArguments& typed, std::string_view flag);

// Confines a command, if --sandbox is given, that decodes the files of its arguments on the CPU and writes
// these outputs.
void confine(const ParsedArguments& typed, const std::vector<std::string>& outputs, Messages& messages);

// Videos, folders, and the flags --list, --reference-dir and --root. `command`: for messages, with its
// required flags: "batch FOLDER --reports DIR". Throws Error{kUsage}.
VideoListRequest list_request(const ParsedArguments& typed, const std::string& command);

// The arguments as if these videos, and the reference of the first if it has one, had been given. Throws
// Error{kUsage} if --reference was also given.
ParsedArguments words_for(ParsedArguments typed, const VideoList& list);

// The formats of --formats, each once. Throws Error{kUsage}.
std::vector<ReportFormat> formats_of(const ParsedArguments& typed);

// Arguments that shards and merge take from a plan.

// The flags of a run that the subcommand takes and that were given, except for some, as words.
std::vector<std::string> run_words(const ParsedArguments& typed, const char* subcommand,
                                   std::span<const std::string_view> but = {});

// The options of a single run of the title: the plan's arguments and `more`. Throws as run_options().
RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more);

}  // namespace vq::cli
