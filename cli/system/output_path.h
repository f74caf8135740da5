// What an output path stands for.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vq::cli {

// Of the file, or the descriptor, that the path stands for; nothing where there is none, with errno set.
std::optional<struct stat> status_of(const std::string& path);

// Whether the path is a descriptor, or a pipe or a character device.
bool is_written_in_place(const std::string& path);

// The folder that holds `path`: "." where it names none.
std::string folder_of(const std::string& path);

// What the names of partial files have.
inline constexpr std::string_view kPartial = ".partial";

// FILE.partial, where the scores of a run go that ended early. What is written in place has none.
std::string partial_path(const std::string& path);

// The same for what other programs open by the end of its name: show.partial.html.
std::string openable_partial_path(const std::string& path);

// Whether two paths name the same file: by link, hard link or another spelling, also where it does not exist
// yet. Character devices and sockets never count: two users of /dev/null or of a terminal do not meet. "-"
// and
// "/dev/stdout" are standard output; give "/dev/stdin" for standard input.
bool same_file(const std::string& a, const std::string& b);

// Error{kOutput}, or kResource where memory or descriptors are used up: the path, what was being done and
// `error` (an errno) in words.
Error output_error(const std::string& path, const std::string& doing, int error);

}  // namespace vq::cli
