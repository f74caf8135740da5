// Words that messages share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.h"  // shown_path(), printable()

namespace vq {

// "1 frame", "2 frames": for nouns that take an s.
std::string counted(int64_t count, const std::string& noun);

// "every 4th frame", or "one of every 4 frames", of those of which only some were scored.
std::string sample_text(int64_t n, bool is_spread);

// What follows the last slash of a path.
inline std::string_view file_part(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The system's words for a value of errno.
std::string errno_text(int error);

}  // namespace vq
