// Text that people wrote, and text for one-line messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vq {

// Parses the whole of `text` as a number, independent of the locale. False for anything else, nan and inf
// included.
bool parse_int(std::string_view text, long long& value);
bool parse_real(std::string_view text, double& value);

// Whether there is something, and nothing but 0 to 9.
bool all_digits(std::string_view text);

// The candidate nearest to `word` by edit distance (transpositions count one), where it is near enough to be
// a slip of the pen; empty otherwise.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// Shortens text longer than `limit` bytes and escapes control characters and bytes that are not UTF-8, so
// that it can stand in a one-line message.
std::string printable(std::string_view text, size_t limit = 80);

// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

// Text with each byte that is not UTF-8 as \xNN, which UTF-8 is left by as it is.
std::string escaped_text(std::string_view text);

// Two lower-case digits for each byte.
std::string hexadecimal(std::span<const uint8_t> bytes);

// A path as messages show it: on one line, and shortened where it is very long.
std::string shown_path(const std::string& path);

}  // namespace vq
