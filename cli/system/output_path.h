// Properties of output paths.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vq::cli {

// Status of the file or the descriptor that the path names; nothing if there is none, with errno set.
std::optional<struct stat> status_of(const std::string& path);

// Whether the path is a descriptor, or a pipe or a character device.
bool is_written_in_place(const std::string& path);

// The folder that contains `path`: "." if it names none.
std::string folder_of(const std::string& path);

// The suffix of partial files.
inline constexpr std::string_view kPartialSuffix = ".partial";

// FILE.partial, for the results of a run that ended early. Outputs written in place have none.
std::string partial_path(const std::string& path);

// The same for files that other programs open by their extension: show.partial.html.
std::string openable_partial_path(const std::string& path);

// Whether two paths name the same file: by link, hard link or another spelling, even if it does not exist
// yet. Character devices and sockets never count, so two users of /dev/null or of a terminal do not conflict.
// "-" and "/dev/stdout" are standard output; give "/dev/stdin" for standard input.
bool same_file(const std::string& a, const std::string& b);

// Error{kOutput}, or kResource if memory or descriptors are exhausted: the path, the operation and `error`
// (an errno) in words.
Error output_error(const std::string& path, const std::string& doing, int error);

}  // namespace vq::cli
