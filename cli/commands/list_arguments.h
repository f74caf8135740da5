// What a command line says of a list of videos.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/video_list.h"
#include "cli/commands/flag_parser.h"
#include "engine/report/report_writer.h"

namespace vq::cli {

// The text of a path; empty where the flag was not given. Throws Error{kUsage} where the path is empty.
std::string path_of(const ParsedArguments& words, std::string_view flag);

// Videos, folders, and the flags --list, --reference-dir and --root. `command`: for messages, with what it
// needs beside videos: "batch FOLDER --reports DIR". Throws Error{kUsage}.
VideoListRequest list_request(const ParsedArguments& words, const std::string& command);

// The words as if these videos, and the reference of the first where it has one, had been given. Throws
// Error{kUsage} where there is another reference.
ParsedArguments words_for(ParsedArguments words, const VideoList& list);

// What --formats asks for, each once. Throws Error{kUsage}.
std::vector<ReportFormat> formats_of(const ParsedArguments& words);

}  // namespace vq::cli
