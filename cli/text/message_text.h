// Words that messages share.
#pragma once

#include <cstdint>
#include <string>

namespace vq::cli {

// A path as messages show it: on one line, and shortened where it is very long.
std::string shown_path(const std::string& path);

// "1 frame", "2 frames": for nouns that take an s.
std::string counted(int64_t count, const std::string& noun);

// The system's words for a value of errno.
std::string errno_text(int error);

}  // namespace vq::cli
