// Parsing of text from users, and text for one-line messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vq {

// Parses all of `text` as a number, independent of the locale. False for anything else, including nan and
// inf.
bool parse_int(std::string_view text, long long& value);
bool parse_real(std::string_view text, double& value);

// Whether the text is not empty and consists of 0 to 9.
bool all_digits(std::string_view text);

// The candidate nearest to `word` by edit distance (a transposition counts as one), if it is close enough to
// be a typing error; otherwise empty.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// Shortens text longer than `limit` bytes and escapes control characters and bytes that are not UTF-8, for
// use in a one-line message.
std::string printable(std::string_view text, size_t limit = 80);

// Whether the text is valid UTF-8.
bool is_utf8(std::string_view text);

// Replaces each byte that is not UTF-8 by \xNN. Valid UTF-8 is returned unchanged.
std::string escaped_text(std::string_view text);

// The parts between separators, as std::getline() takes them: after a separator at the end comes no other.
// Views of `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// With a to z for A to Z; other bytes are left alone.
std::string lower_case(std::string_view text);

// Two lower-case digits per byte.
std::string hexadecimal(std::span<const uint8_t> bytes);

// A path for messages: on one line, and shortened if it is very long.
std::string shown_path(const std::string& path);

}  // namespace vq
