// Words that messages share.
#pragma once

#include <cstdint>
#include <string>

#include "core/text.h"  // shown_path(), printable()

namespace vq::cli {

// "1 frame", "2 frames": for nouns that take an s.
std::string counted(int64_t count, const std::string& noun);

// The system's words for a value of errno.
std::string errno_text(int error);

}  // namespace vq::cli
