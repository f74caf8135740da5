// Text in columns for people, two spaces apart.
#pragma once

#include <string>
#include <vector>

#include "core/text/text_width.h"

namespace vq {

struct TextColumn {
  std::string heading;
  enum class Align { kLeft, kRight } align = Align::kRight;
  int rank = 0;  // where a table is too wide the column of the highest rank goes first; one of 0 never goes
  // If that is not enough, texts of this column are shortened in the middle, down to so many columns; 0: they
  // are not.
  size_t least = 0;
  // The last column of a table: its texts go on in lines of their own.
  bool wraps = false;
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  const std::vector<TextColumn>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  // The headings and the rows, without line ends or blanks at an end. Not wider than `width` columns where
  // the columns that may go, shrink or wrap allow that; 0: as wide as need be. Needs: a cell for each column
  // in every row.
  std::vector<std::string> lines(size_t width = 0) const;
  // The same as one text, with a line end after each line.
  std::string text(size_t width = 0) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace vq
