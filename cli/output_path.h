// What an output path stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vq::cli {

// The descriptor of this process that the path names, also through links: 1 for "-" and "/dev/stdout", 2 for
// "/dev/stderr", N for "/dev/fd/N" and its kin in /proc.
std::optional<int> descriptor_of(const std::string& path);

bool is_standard_output(const std::string& path);

// False where the program was started without a standard output.
bool standard_output_is_open();

// Whether the path is a descriptor, or a pipe or a character device.
bool is_written_in_place(const std::string& path);

// The path after following symbolic links of its last component, also to a file that does not exist yet, but not
// beyond a descriptor. A link that cannot be followed is returned as it is.
std::string follow_links(const std::string& path);

// The folder that holds `path`: "." where it names none.
std::string folder_of(const std::string& path);

// Names for temporary files and folders, to be tried from 0 on: `folder`/.cambi-<process>-<number>. Short and not
// made from the target's name, which may be as long as a name can be.
inline constexpr int kMaxTemporaries = 1000;
std::string temporary_name(const std::string& folder, int number);

// Checks before any work is done that the output can be written: its folder exists and takes new files, it is
// no folder, socket or block device and may be replaced. Leaves nothing behind. Throws Error{kOutput}.
void check_writable(const std::string& path);

// The same for a file that replaces even a link of that name (see OutputFile::move_to()), in a folder that takes
// new files.
void check_replaceable(const std::string& path);

// What the names of partial files have.
inline constexpr std::string_view kPartial = ".partial";

// FILE.partial, where the scores of a run go that ended early. What is written in place has none.
std::string partial_path(const std::string& path);

// The same for what other programs open by the end of its name: show.partial.html.
std::string openable_partial_path(const std::string& path);

// Whether two paths name the same file: by link, hard link or another spelling, also where it does not exist
// yet. Character devices and sockets never count: two users of /dev/null or of a terminal do not meet. "-" and
// "/dev/stdout" are standard output; give "/dev/stdin" for standard input.
bool same_file(const std::string& a, const std::string& b);

// Error{kOutput}, or kResource where memory or descriptors are used up: the path, what was being done and `error`
// (an errno) in words.
Error output_error(const std::string& path, const std::string& doing, int error);

}  // namespace vq::cli
