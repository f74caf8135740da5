#include "core/text.h"

#include <charconv>
#include <cmath>
#include <compare>
#include <cstdio>
#include <system_error>

namespace vq {

// Long enough for the paths people have, short enough for a line of a log.
constexpr size_t kLongestShownPath = 400;

// The length of the character at `at`; 0 if there is none in UTF-8.
static size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char c = byte(0);
  const size_t length = c < 0x80                ? 1
                        : c >= 0xC2 && c < 0xE0 ? 2
                        : c >= 0xE0 && c < 0xF0 ? 3
                        : c >= 0xF0 && c < 0xF5 ? 4
                                                : 0;
  if (at + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if (byte(k) < 0x80 || byte(k) > 0xBF) return 0;
  }
  // Overlong forms and surrogates.
  if (length == 3 && ((c == 0xE0 && byte(1) < 0xA0) || (c == 0xED && byte(1) > 0x9F))) return 0;
  if (length == 4 && ((c == 0xF0 && byte(1) < 0x90) || (c == 0xF4 && byte(1) > 0x8F))) return 0;
  return length;
}

static std::string escape_of(char byte) {
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(byte));
  return escape;
}

bool parse_int(std::string_view text, long long& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && !text.empty();
}

bool parse_real(std::string_view text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && !text.empty() && std::isfinite(value);
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 64) return {};
  std::string best;
  size_t best_distance = SIZE_MAX;
  for (const std::string& candidate : candidates) {
    const size_t m = word.size(), n = candidate.size();
    std::vector<std::vector<size_t>> d(m + 1, std::vector<size_t>(n + 1));
    for (size_t i = 0; i <= m; ++i) d[i][0] = i;
    for (size_t j = 0; j <= n; ++j) d[0][j] = j;
    for (size_t i = 1; i <= m; ++i) {
      for (size_t j = 1; j <= n; ++j) {
        d[i][j] =
            std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (word[i - 1] != candidate[j - 1])});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1]) {
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    if (d[m][n] < best_distance) {
      best_distance = d[m][n];
      best = candidate;
    }
  }
  // A third of the letters may be wrong, but no more than two; a word that is part of the candidate
  // ("window") counts as near.
  if (best_distance <= std::clamp<size_t>(word.size() / 3, 1, 2)) return best;
  for (const std::string& candidate : candidates) {
    if (word.size() >= 3 && candidate.find(word) != std::string::npos) return candidate;
  }
  return {};
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (out.size() >= limit) return out + "...";
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const size_t length = utf8_length(text, i);
    // The C1 controls are no text either.
    const bool c1 = length == 2 && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (length == 0 || c1 || c < 0x20 || c == 0x7F) {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : escape_of(text[i]);
      continue;
    }
    out.append(text.substr(i, length));
    i += length - 1;
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string escaped_text(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    out += length == 0 ? escape_of(text[i]) : std::string(text.substr(i, length));
    i += std::max<size_t>(length, 1);
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string_view> fields(std::string_view text, char separator) {
  std::vector<std::string_view> parts = split(text, separator);
  if (text.empty() || text.ends_with(separator)) parts.emplace_back();
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

std::string fill_in(std::string_view form, std::span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) {
    const size_t at = form.find("{}");
    text += form.substr(0, at);
    text += value;
    form.remove_prefix(at + 2);
  }
  return text + std::string(form);
}

std::string shown_path(const std::string& path) { return printable(path, kLongestShownPath); }

std::string counted(int64_t count, const std::string& noun) {
  return words("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sample_text(int64_t n, bool is_spread) {
  if (is_spread) return words("one of every {} frames", n);
  const int64_t last = n / 10 % 10 == 1 ? 0 : n % 10;
  return words("every {}{} frame", n, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string errno_text(int error) { return std::generic_category().message(error); }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the number that the text begins with off it, without its leading zeros. It may be longer than any
// integer.
static std::string_view take_number(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

static std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

// A folder's end comes before every character that a longer name may go on with.
static int rank_of(char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); }

static std::strong_ordering compare(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    std::strong_ordering order = std::strong_ordering::equal;
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view number = take_number(a);
      order = compare_numbers(number, take_number(b));
    } else {
      order = rank_of(a.front()) <=> rank_of(b.front());
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    if (order != std::strong_ordering::equal) return order;
  }
  return a.size() <=> b.size();
}

static bool is_name_byte(char c, bool first) {
  const auto byte = static_cast<unsigned char>(c);
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
  return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::strong_ordering order = compare(a, b);
  return order == std::strong_ordering::equal ? a < b : order == std::strong_ordering::less;
}

std::string attribute_name(std::string_view text) {
  std::string out;
  for (const char c : printable(text, std::string_view::npos)) out += is_name_byte(c, out.empty()) ? c : '_';
  return out.empty() ? "_" : out;
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  return markup_escaped(printable(text, std::string_view::npos));
}

std::string xml_attribute(std::string_view name, std::string_view value) {
  return words(" {}=\"{}\"", name, value);
}

}  // namespace vq
