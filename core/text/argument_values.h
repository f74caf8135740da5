// Parsers of flag values. Every function throws Error{kUsage} with the flag, the text and the allowed values,
// unless stated otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace vq {

// Largest frame number on the command line. A sum of several still fits into 64 bits.
inline constexpr int64_t kMaxFrameNumber = int64_t{1} << 40;

// A position in a video: a frame number, or seconds from the start.
using VideoPosition = std::variant<int64_t, double>;

struct IntRange {
  int64_t min, max;
};
int64_t int_value(const std::string& flag, const std::string& text, IntRange range);

// An integer as vmaf takes it, in C notation: hexadecimal after 0x, octal after 0.
int64_t c_int_value(const std::string& flag, const std::string& text, IntRange range);

// A bit mask in C notation: decimal, hexadecimal after 0x, octal after 0. As in vmaf, a negative number
// stands for its two's complement, so -1 has all bits, and only the lowest 32 bits count.
unsigned mask_value(const std::string& flag, const std::string& text);

// The index of the matching word. The error names the nearest word.
size_t choice_value(const std::string& flag, const std::string& text, const std::vector<std::string>& words);

// A side of a raw picture. Throws Error{kMismatch} for an impossible size.
int side_value(const std::string& flag, const std::string& text);

// A frame number, or [HH:]MM:SS[.fraction], or seconds with a trailing s.
VideoPosition position_value(const std::string& flag, const std::string& text);

// A number of bytes; the suffixes K, M, G and T stand for powers of 1024.
int64_t bytes_value(const std::string& flag, const std::string& text);

}  // namespace vq
