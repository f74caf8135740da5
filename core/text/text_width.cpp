#include "core/text/text_width.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cwchar>
#include <optional>

namespace vq {
namespace {

#ifdef _WIN32
// The system has no widths of characters.
std::optional<size_t> columns_by_locale(std::string_view) {
  return std::nullopt;
}
#else
// Makes a locale the one of this thread for a while. It knows UTF-8 whatever the user's does.
class Utf8Locale {
 public:
  explicit Utf8Locale(locale_t utf8) : before_(uselocale(utf8)) {}
  ~Utf8Locale() { uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  const locale_t before_;
};

std::optional<size_t> columns_by_locale(std::string_view text) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return std::nullopt;
  const Utf8Locale locale(utf8);
  size_t columns = 0;
  while (!text.empty()) {
    wchar_t character = 0;
    std::mbstate_t state = {};
    const size_t bytes = std::mbrtowc(&character, text.data(), text.size(), &state);
    const bool is_valid = bytes > 0 && bytes <= text.size();
    const int width = is_valid ? ::wcwidth(character) : 1;
    columns += width >= 0 ? static_cast<size_t>(width) : 1;
    text.remove_prefix(is_valid ? bytes : 1);
  }
  return columns;
}
#endif

}  // namespace

size_t columns_of(std::string_view text) {
  if (const std::optional<size_t> columns = columns_by_locale(text)) return *columns;
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad_right(std::string text, size_t width) {
  const size_t columns = columns_of(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}

}  // namespace vq
