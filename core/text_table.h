// Text in columns, two spaces apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vq {

// Width of text on a terminal.

// Number of columns that UTF-8 text takes on a terminal: two for each wide (such as Chinese) character, none
// for a combining one. If the locale cannot tell, or the text is not UTF-8, every character counts as one.
size_t columns_of(std::string_view text);
// The text padded with trailing blanks to `width` columns.
std::string pad_right(std::string text, size_t width);

struct TextColumn {
  std::string heading;
  enum class Align { kLeft, kRight } align = Align::kRight;
  int rank = 0;  // if the table is too wide, the column of the highest rank is dropped first; 0: never
  // If dropping columns is not enough, texts of this column are shortened in the middle to at least this many
  // columns; 0: never.
  size_t least = 0;
  // For the last column of a table: long texts continue on further lines.
  bool wraps = false;
};
inline constexpr auto kFlushLeft = TextColumn::Align::kLeft, kFlushRight = TextColumn::Align::kRight;

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  const std::vector<TextColumn>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  // The headings and the rows, without line ends or trailing blanks. At most `width` columns wide if
  // dropping, shortening and wrapping allow that; 0: unlimited. Needs: a cell for each column in every row.
  std::vector<std::string> lines(size_t width = 0) const;
  // The lines as one text, each with a line end.
  std::string text(size_t width = 0) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Wrapping and shortening of text for a terminal. A width of 0 columns means no terminal: text is unchanged.

// Number of columns that the text takes, colour escapes not counted.
size_t shown_columns(std::string_view text);

// Shortens the text to at most `width` columns by replacing its middle with three dots: "episo...slow.mp4".
std::string shorten_middle(const std::string& text, size_t width);

// Shortens names that may differ in one place only. Cuts at the middle, the start or the end: the first of
// these that keeps different names different.
std::vector<std::string> shorten_names(const std::vector<std::string>& names, size_t width);

// Breaks lines that are too long between words. Continuation lines are indented to the line's second column
// if that follows two or more blanks, otherwise by two. A single word that is too long is shortened in the
// middle if `shortens`, otherwise left as it is.
std::string fit_text(const std::string& text, size_t width, bool shortens = false);

}  // namespace vq
