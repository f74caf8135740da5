#include "core/text_table.h"

#include <locale.h>
#include <wchar.h>

#include <cwchar>
#include <optional>
#include <set>

#include "core/platform.h"
#include "core/text.h"

namespace vq {
namespace {

constexpr size_t kGap = 2;
// Columns of text that goes on in lines of its own: as few as it may have, and as many as other columns leave
// it.
constexpr size_t kLeastWrapped = 16, kWellWrapped = 30;

size_t total(const std::vector<size_t>& widths, const std::vector<size_t>& shown) {
  size_t sum = kGap * (shown.size() - 1);
  for (const size_t column : shown) sum += widths[column];
  return sum;
}

// A table on its way to lines.
class Layout {
 public:
  explicit Layout(const TextTable& table) : columns_(table.columns()), rows_({{}}), widths_(columns_.size()) {
    for (const TextColumn& column : columns_) rows_[0].push_back(column.heading);
    rows_.insert(rows_.end(), table.rows().begin(), table.rows().end());
    for (size_t c = 0; c < columns_.size(); ++c) {
      for (const auto& row : rows_) widths_[c] = std::max(widths_[c], columns_of(row[c]));
      shown_.push_back(c);
    }
  }

  void fit(size_t width) {
    while (needed() > width && drop_column()) {
    }
    for (const size_t c : shown_) {
      const size_t all = total(widths_, shown_);
      const size_t least = std::max(columns_[c].least, columns_of(columns_[c].heading));
      if (columns_[c].least == 0 || all <= width || widths_[c] <= least) continue;
      widths_[c] = std::max(least, widths_[c] - std::min(widths_[c], all - width));
      std::vector<std::string> cells = mapped(rows_, [&](const auto& row) { return row[c]; });
      cells = shorten_names(cells, widths_[c]);
      for (size_t r = 0; r < rows_.size(); ++r) rows_[r][c] = cells[r];
    }
    const size_t all = total(widths_, shown_), last = shown_.back();
    if (columns_[last].wraps && all > width && widths_[last] + width >= all + kLeastWrapped)
      wrap(last, widths_[last] + width - all);
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& row : rows_) {
      std::string& line = lines.emplace_back();
      for (const size_t c : shown_) {
        const std::string gap(widths_[c] - std::min(widths_[c], columns_of(row[c])), ' ');
        if (c != shown_.front()) line.append(kGap, ' ');
        line += columns_[c].align == kFlushLeft ? row[c] + gap : gap + row[c];
      }
      line.erase(line.find_last_not_of(' ') + 1);
    }
    return lines;
  }

 private:
  // Columns that the table takes with its last one wrapped.
  size_t needed() const {
    const size_t all = total(widths_, shown_), last = shown_.back();
    return columns_[last].wraps ? all - widths_[last] + std::min(widths_[last], kWellWrapped) : all;
  }

  bool drop_column() {
    const auto first = std::ranges::max_element(
        shown_, [&](size_t a, size_t b) { return columns_[a].rank < columns_[b].rank; });
    if (columns_[*first].rank == 0) return false;
    shown_.erase(first);
    return true;
  }

  // Text that does not fit continues in rows that are empty otherwise.
  void wrap(size_t column, size_t width) {
    std::vector<std::vector<std::string>> rows;
    for (auto& row : rows_) {
      const std::string text = fit_text(row[column], width);
      rows.push_back(std::move(row));
      rows.back()[column].clear();
      for (const std::string_view part : split(text, '\n')) {
        if (part.data() != text.data()) rows.emplace_back(columns_.size());
        rows.back()[column] = part;
      }
    }
    rows_ = std::move(rows);
    widths_[column] = width;
  }

  const std::vector<TextColumn>& columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_, shown_;
};

}  // namespace

std::vector<std::string> TextTable::lines(size_t width) const {
  Layout layout(*this);
  if (width > 0) layout.fit(width);
  return layout.lines();
}

std::string TextTable::text(size_t width) const {
  std::string text;
  for (const std::string& line : lines(width)) text += line + "\n";
  return text;
}

namespace {

#ifdef _WIN32
// The system has no widths of characters: marks that combine have none, and scripts and pictures of these
// ranges two columns.
std::optional<size_t> columns_by_locale(std::string_view text) {
  struct Range {
    char32_t first, last;
    size_t columns;
  };
  constexpr Range kRanges[] = {{0x300, 0x36F, 0},     {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},
                               {0x20D0, 0x20FF, 0},   {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2},
                               {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},   {0xFE00, 0xFE0F, 0},
                               {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
                               {0x1F300, 0x1F64F, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2}};
  if (!is_utf8(text)) return std::nullopt;
  size_t columns = 0;
  for (const char32_t character : path_of(text).u32string()) {
    const auto* const its = std::ranges::find_if(
        kRanges, [&](const Range& range) { return range.first <= character && character <= range.last; });
    columns += its == std::end(kRanges) ? 1 : its->columns;
  }
  return columns;
}
#else
// Makes a locale the one of this thread for a while. It knows UTF-8 whatever the user's does.
class Utf8Locale {
 public:
  explicit Utf8Locale(locale_t utf8) : before_(uselocale(utf8)) {}
  ~Utf8Locale() { uselocale(before_); }
  Utf8Locale& operator=(Utf8Locale&&) = delete;

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
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad_right(std::string text, size_t width) {
  const size_t columns = columns_of(text);
  if (columns < width) text.append(width - columns, ' ');
  return text;
}

namespace {

constexpr std::string_view kDots = "...";
constexpr size_t kUsualIndent = 2;

// Where the next character begins.
size_t after_character(std::string_view text, size_t at) {
  do ++at;
  while (at < text.size() && (text[at] & 0xC0) == 0x80);
  return at;
}

// The longest beginning that fits; an accent that combines goes with its letter.
size_t head_that_fits(std::string_view text, size_t width) {
  size_t end = 0;
  for (size_t at = 0; at < text.size();) {
    at = after_character(text, at);
    if (columns_of(text.substr(0, at)) > width) break;
    end = at;
  }
  return end;
}

size_t tail_that_fits(std::string_view text, size_t width) {
  size_t start = 0;
  while (start < text.size() && columns_of(text.substr(start)) > width) start = after_character(text, start);
  return start;
}

// Further to the right too little room is left.
size_t most_indent(size_t width) { return width * 2 / 5; }

// Where what does not fit a line goes on: below its second column, unless that is far to the right.
size_t indent_of(std::string_view line, size_t width) {
  const size_t text = line.find_first_not_of(' ');
  const size_t gap = text == std::string_view::npos ? text : line.find("  ", text);
  const size_t second = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  const size_t most = most_indent(width);
  if (second != std::string_view::npos && second <= most) return second;
  return text == std::string_view::npos ? 0 : std::min(text + kUsualIndent, most);
}

// Which ends of a name stay.
enum class Kept { kBoth, kTail, kHead };

std::string shortened(const std::string& text, size_t width, Kept kept) {
  if (columns_of(text) <= width) return text;
  if (width <= kDots.size()) return text.substr(0, head_that_fits(text, width));
  const size_t room = width - kDots.size();
  const size_t head = kept == Kept::kBoth ? room / 2 : kept == Kept::kHead ? room : 0;
  const std::string_view all = text;
  std::string out(all.substr(0, head_that_fits(all, head)));
  return out.append(kDots).append(all.substr(tail_that_fits(all, room - head)));
}

class LineBreaker {
 public:
  LineBreaker(std::string_view line, size_t width, bool shortens)
      : line_(line), width_(width), indent_(indent_of(line, width)), shortens_(shortens) {}

  std::string lines() {
    for (size_t at = 0; at < line_.size();) {
      const size_t word = line_.find_first_not_of(' ', at);
      if (word == std::string_view::npos) break;
      const size_t end = std::min(line_.find(' ', word), line_.size());
      add(line_.substr(at, word - at), std::string(line_.substr(word, end - word)));
      at = end;
    }
    return out_;
  }

 private:
  void add(std::string_view gap, std::string word) {
    const size_t own = shown_columns(word);
    const bool is_first = out_.empty();
    if (is_first) gap = gap.substr(0, most_indent(width_));
    // A line of its own would give no more room to what stands at its beginning anyway.
    const bool gains = !is_first && column_ + gap.size() > indent_;
    if (gains && column_ + gap.size() + own > width_) {
      out_ += "\n" + std::string(indent_, ' ');
      column_ = indent_;
    } else {
      out_ += gap;
      column_ += gap.size();
    }
    const size_t room = width_ - std::min(column_, width_);
    if (shortens_ && own > room) word = shorten_middle(word, room);
    out_ += word;
    column_ += shown_columns(word);
  }

  const std::string_view line_;
  const size_t width_, indent_;
  const bool shortens_;
  std::string out_;
  size_t column_ = 0;
};

}  // namespace

size_t shown_columns(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "\x1b[") {
      at = std::min(text.find_first_of("mK", at), text.size());
    } else {
      plain += text[at];
    }
  }
  return columns_of(plain);
}

std::string shorten_middle(const std::string& text, size_t width) {
  return shortened(text, width, Kept::kBoth);
}

std::vector<std::string> shorten_names(const std::vector<std::string>& names, size_t width) {
  std::vector<std::string> shortest;
  for (const Kept kept : {Kept::kBoth, Kept::kTail, Kept::kHead}) {
    std::vector<std::string> made;
    for (const std::string& name : names) made.push_back(shortened(name, width, kept));
    if (std::set(made.begin(), made.end()).size() == std::set(names.begin(), names.end()).size()) return made;
    if (shortest.empty()) shortest = std::move(made);
  }
  return shortest;
}

std::string fit_text(const std::string& text, size_t width, bool shortens) {
  if (width == 0) return text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    out += shown_columns(line) <= width ? std::string(line) : LineBreaker(line, width, shortens).lines();
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace vq
