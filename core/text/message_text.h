// Phrases that several messages use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.h"  // shown_path(), printable()

namespace vq {

// "1 frame", "2 frames": for nouns with a plural in s.
std::string counted(int64_t count, const std::string& noun);

// "every 4th frame", or "one of every 4 frames", to describe sampled frames.
std::string sample_text(int64_t n, bool is_spread);

// The part of a path after the last slash.
inline std::string_view file_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The system's text for a value of errno.
std::string errno_text(int error);

}  // namespace vq
