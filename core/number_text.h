// Numbers as reports and messages show them, independent of the locale.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace vq {

// Decimals of seconds from the start of a video, in files.
inline constexpr int kTimestampDecimals = 6;

// Decimals of the report's frames per second.
inline constexpr int kFpsDecimals = 2;

// How reports print scores.
struct NumberStyle {
  enum class Kind {
    kCompatible,   // six decimals, or sixteen if six would lose a small fraction; see number_text()
    kSignificant,  // `digits` significant digits, trailing zeros left out
    kShortest,     // the shortest text that reads back to the same double
  };
  Kind kind = Kind::kCompatible;
  int digits = 6;  // 1..17, for kSignificant only
};

// The value with exactly `decimals` (0..17) digits after the point. Non-finite values: "inf", "-inf" or
// "nan".
std::string fixed_text(double value, int decimals);

// The value in the given style. The compatible style is the reference tool's: the fraction of |value| is
// multiplied by ten until it reaches one or vanishes; if that takes more than six steps, sixteen decimals are
// printed instead of six. Non-finite values: "inf", "-inf" or "nan".
std::string number_text(double value, const NumberStyle& style);

// The same in the shortest style, and with this many significant digits.
inline constexpr NumberStyle kShortestNumbers = {NumberStyle::Kind::kShortest, 0};
inline std::string shortest_text(double value) { return number_text(value, kShortestNumbers); }
inline std::string significant_text(double value, int digits) {
  return number_text(value, {NumberStyle::Kind::kSignificant, digits});
}

// A fraction in whole percent: "45 %".
std::string percent_text(double share);

// A number padded to at least two digits, as in times of day. Needs: value >= 0.
std::string two_digits(int64_t value);

// A size in powers of 1000: "812 bytes", "9.1 MB", "84 GB". Needs: bytes >= 0.
std::string bytes_text(int64_t bytes);

// "45 kbit/s", "5.25 Mbit/s".
std::string bit_rate_text(int64_t bits);

// The value of the flag: 1..17 or "max". Throws Error{kUsage} for anything else.
NumberStyle parse_precision(const std::string& flag, const std::string& text);

// Times in a video.

// h:mm:ss.cc, rounded down, so that seeking there never passes the frame. Negative times have a sign.
std::string timecode(double seconds);

// Parsers of flag values. Every function throws Error{kUsage} with the flag, the text and the allowed values,
// unless stated otherwise.

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
