// Assumptions about the target machine. Include it if code depends on them.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Bits are stored byte by byte and read as words (rows of runs, masks of vectors), 16-bit samples are read
// from files and copied to a device in memory order, and shaders take two of them from a 32-bit word.
static_assert(std::endian::native == std::endian::little, "cambi needs a little-endian machine");

// Sums of c-values need 128-bit integers, which compilers provide on 64-bit machines only, and sizes of a
// picture's buffers are computed in size_t without a check for overflow.
static_assert(sizeof(size_t) == 8 && CHAR_BIT == 8, "cambi needs a 64-bit machine");

namespace vq {

// The size on nearly all machines. Prefetching is done once per line.
inline constexpr int kCacheLineBytes = 64;

// Names of files as they stand in texts.

// The file that UTF-8 text names; if names are bytes, any bytes. Windows would take a plain string for text
// of another encoding.
inline std::filesystem::path path_of(std::string_view text) {
  return std::u8string(text.begin(), text.end());
}

// The opposite, with slashes between folders on every system.
inline std::string text_of(const std::filesystem::path& path) {
  std::u8string text = path.u8string();
  std::ranges::replace(text, static_cast<char8_t>(path.preferred_separator), u8'/');
  return {text.begin(), text.end()};
}

}  // namespace vq
