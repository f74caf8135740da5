#include "cli/text/text_table.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cwchar>

namespace vq::cli {
namespace {

constexpr size_t kGap = 2;

size_t total(const std::vector<size_t>& widths, const std::vector<size_t>& shown) {
  size_t sum = kGap * (shown.size() - 1);
  for (const size_t column : shown) sum += widths[column];
  return sum;
}

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

}  // namespace

size_t columns_of(std::string_view text) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }
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

std::string pad_right(std::string text, size_t width) {
  const size_t columns = columns_of(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}

std::vector<std::string> TextTable::lines(size_t width) const {
  std::vector<std::vector<std::string>> rows = {{}};
  for (const TextColumn& column : columns_) rows[0].push_back(column.heading);
  rows.insert(rows.end(), rows_.begin(), rows_.end());

  std::vector<size_t> widths(columns_.size()), shown;
  for (size_t c = 0; c < columns_.size(); ++c) {
    for (const auto& row : rows) widths[c] = std::max(widths[c], columns_of(row[c]));
    shown.push_back(c);
  }
  while (width > 0 && total(widths, shown) > width) {
    const auto first = std::max_element(shown.begin(), shown.end(), [&](size_t a, size_t b) {
      return columns_[a].rank < columns_[b].rank;
    });
    if (columns_[*first].rank == 0) break;
    shown.erase(first);
  }

  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (const size_t c : shown) {
      const std::string gap(widths[c] - columns_of(row[c]), ' ');
      if (c != shown.front()) line.append(kGap, ' ');
      line += columns_[c].align == TextColumn::Align::kLeft ? row[c] + gap : gap + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

std::string TextTable::text(size_t width) const {
  std::string text;
  for (const std::string& line : lines(width)) text += line + "\n";
  return text;
}

}  // namespace vq::cli
