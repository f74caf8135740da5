// Words that messages share.
#pragma once

#include <string>

namespace vq::cli {

// A path as messages show it: on one line, and shortened where it is very long.
std::string shown_path(const std::string& path);

// The system's words for a value of errno.
std::string errno_text(int error);

}  // namespace vq::cli
