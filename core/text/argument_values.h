// The values that command-line flags take. Every function throws Error{kUsage} with the flag, the text and
// what is allowed, unless it says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace vq {

// Numbers of frames on the command line; sums of a few of them still fit into 64 bits.
inline constexpr int64_t kMaxFrameNumber = int64_t{1} << 40;

// A point in a video: a frame number, or seconds from the start.
using VideoPosition = std::variant<int64_t, double>;

struct IntRange {
  int64_t min, max;
};
int64_t int_value(const std::string& flag, const std::string& text, IntRange range);

// The same for flags of vmaf, which takes numbers as C writes them: hexadecimal after 0x, octal after 0.
int64_t c_int_value(const std::string& flag, const std::string& text, IntRange range);

// A bit mask as C writes numbers: decimal, hexadecimal after 0x, octal after 0. A negative number stands for
// its two's complement, so that -1 has all bits, and of more than 32 bits the lowest count, as in vmaf.
unsigned mask_value(const std::string& flag, const std::string& text);

// One of the words; the nearest is named where the text is none of them. Returns its index.
size_t choice_value(const std::string& flag, const std::string& text, const std::vector<std::string>& words);

// A side of a raw picture. Throws Error{kMismatch} for a number that no picture can have.
int side_value(const std::string& flag, const std::string& text);

// A frame number, or [HH:]MM:SS[.fraction], or seconds with a trailing s.
VideoPosition position_value(const std::string& flag, const std::string& text);

// Bytes, with K, M, G or T for powers of 1024.
int64_t bytes_value(const std::string& flag, const std::string& text);

}  // namespace vq
