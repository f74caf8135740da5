// What an output path stands for.
#pragma once

#include <string>

#include "core/error.h"

namespace vq::cli {

// What the name of an output ends in that was cut short.
inline constexpr const char* kPartialSuffix = ".partial";

// "-" and "/dev/stdout".
bool is_standard_output(const std::string& path);

// False where the program was started without a standard output.
bool standard_output_is_open();

// The path after following symbolic links of its last component, also to a file that does not exist yet. A
// link that cannot be followed is returned as it is.
std::string follow_links(const std::string& path);

// The folder that holds `path`: "." where it names none.
std::string folder_of(const std::string& path);

// Error{kOutput}, or kResource where memory or descriptors are used up: the path, what was being done and `error` (an errno) in words.
Error output_error(const std::string& path, const std::string& doing, int error);

}  // namespace vq::cli
