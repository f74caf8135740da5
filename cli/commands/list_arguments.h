// Command-line arguments for lists of videos.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/video_list.h"
#include "cli/commands/flag_parser.h"
#include "engine/report/report_writer.h"

namespace vq::cli {

// The path given with the flag; empty if the flag was not given. Throws Error{kUsage} for an empty path.
std::string path_of(const ParsedArguments& words, std::string_view flag);

// Videos, folders, and the flags --list, --reference-dir and --root. `command`: for messages, with its
// required flags: "batch FOLDER --reports DIR". Throws Error{kUsage}.
VideoListRequest list_request(const ParsedArguments& words, const std::string& command);

// The arguments as if these videos, and the reference of the first if it has one, had been given. Throws
// Error{kUsage} if --reference was also given.
ParsedArguments words_for(ParsedArguments words, const VideoList& list);

// The formats of --formats, each once. Throws Error{kUsage}.
std::vector<ReportFormat> formats_of(const ParsedArguments& words);

}  // namespace vq::cli
