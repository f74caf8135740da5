// Parsing of text from users, and text for one-line messages.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace vq {

// Parses all of `text` as a number, independent of the locale. False for anything else, including nan and
// inf.
bool parse_int(std::string_view text, long long& value);
bool parse_real(std::string_view text, double& value);

// A text whose placeholders, written {}, are counted when it is compiled.
template <size_t kCount>
struct Form {
  template <size_t kSize>
  consteval Form(const char (&literal)[kSize]) : text(literal, kSize - 1) {  // NOLINT: meant to convert
    size_t count = 0;
    for (size_t at = text.find("{}"); at != text.npos; at = text.find("{}", at + 2)) ++count;
    if (count != kCount) throw "a text has as many {} as arguments";
  }
  std::string_view text;
};
std::string fill_in(std::string_view form, std::span<const std::string_view> values);

// The text of an argument of words(): texts as they are, whole numbers in decimal. core/number_text.h writes
// other numbers.
inline std::string_view word_of(std::string_view text) {
  return text;
}
template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>)
std::string word_of(T number) {
  return std::to_string(number);
}

// The form with its placeholders replaced by the arguments, in order: words("{} of {} frames", 3, total).
template <typename... Args>
std::string words(std::type_identity_t<Form<sizeof...(Args)>> form, const Args&... args) {
  const std::tuple<decltype(word_of(args))...> held(word_of(args)...);
  return std::apply(
      [&](const auto&... texts) {
        const std::array<std::string_view, sizeof...(Args)> values = {std::string_view(texts)...};
        return fill_in(form.text, values);
      },
      held);
}

// The elements' texts, with a separator between them. `text_of` takes an element; by default elements are
// texts.
template <typename Range, typename TextOf = std::identity>
std::string join(const Range& range, std::string_view separator, TextOf text_of = {}) {
  std::string all;
  bool is_first = true;
  for (const auto& element : range) {
    if (!std::exchange(is_first, false)) all += separator;
    all += std::invoke(text_of, element);
  }
  return all;
}

// The values that `make` gives for each element: a function of it, or one of its members.
template <typename Range, typename Make>
auto mapped(Range&& range, const Make& make) {
  std::vector<std::decay_t<std::invoke_result_t<Make, std::ranges::range_reference_t<Range>>>> made;
  for (auto&& element : range) made.push_back(std::invoke(make, element));
  return made;
}

// Whether an element of the range, or what `projection` takes of it, equals the value.
template <typename Range, typename T, typename Projection = std::identity>
bool contains(const Range& range, const T& value, Projection projection = {}) {
  return std::ranges::any_of(range,
                             [&](const auto& element) { return std::invoke(projection, element) == value; });
}

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
// The same with an empty part after a separator at the end, and of an empty text.
std::vector<std::string_view> fields(std::string_view text, char separator);

// With a to z for A to Z; other bytes are left alone.
std::string lower_case(std::string_view text);
// With a capital first if that is one of a to z.
std::string capitalized(std::string text);

// Two lower-case digits per byte.
std::string hexadecimal(std::span<const uint8_t> bytes);

// A path for messages: on one line, and shortened if it is very long.
std::string shown_path(const std::string& path);

// Phrases that several messages use.

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

// Fields of CSV files.

// The text as one field: quoted, with quotes doubled, if it would otherwise change the columns.
std::string csv_field(const std::string& text);

// Natural sort order of names.

// Whether `a` sorts before `b`. Runs of digits compare as numbers, so "episode 2" is before "episode 10", and
// a folder's contents come before names that merely begin with the folder's name. Everything else, and names
// that differ only in leading zeros, compares as bytes, so only equal names are equivalent.
bool natural_less(std::string_view a, std::string_view b);

// Escaping of text in XML and HTML.

// Replaces markup characters by references.
std::string markup_escaped(std::string_view text);

// Text for an attribute's value or between tags. Control characters are not allowed in XML, even escaped, and
// invalid UTF-8 makes the document unreadable, so both appear as printable() shows them.
std::string xml_escaped(std::string_view text);

// A text as the name of an attribute, if nothing can be escaped: characters that are not allowed become '_'.
std::string attribute_name(std::string_view text);

// An attribute with a leading space. Needs: an escaped value.
std::string xml_attribute(std::string_view name, std::string_view value);

}  // namespace vq
