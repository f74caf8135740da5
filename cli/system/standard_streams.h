// Standard input, standard output and the process's other descriptors: their names, and writing to them.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vq::cli {

// True for "-" and for every name of descriptor 0: /dev/stdin, /dev/fd/0, /proc/self/fd/0, and links to them.
// Such an input can be read once, and shares its position with other readers.
bool is_standard_input(const std::string& path);

// The descriptor of this process that the path names, also through links: 1 for "-" and "/dev/stdout", 2 for
// "/dev/stderr", N for "/dev/fd/N" and the like in /proc.
std::optional<int> descriptor_of(const std::string& path);

bool is_standard_output(const std::string& path);

// False if the program was started without a standard output.
bool standard_output_is_open();

// The path after following symbolic links of its last component, also to a file that does not exist yet, but
// not beyond a descriptor. A link that cannot be followed is returned as it is.
std::string follow_links(const std::string& path);

// Writes all of `data`. Waits for the reader of a slow pipe, even if the descriptor is non-blocking, until a
// signal asks to stop. Returns 0, or the errno of the failure; ECANCELED after such a signal.
int write_all(int fd, std::string_view data);

// Properties of output paths.

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
