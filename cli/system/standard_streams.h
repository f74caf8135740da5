// Standard input, standard output and the process's other descriptors: their names, and writing to them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

}  // namespace vq::cli
