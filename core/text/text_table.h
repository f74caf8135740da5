// Text in columns, two spaces apart.
#pragma once

#include <string>
#include <vector>

#include "core/text/text_width.h"

namespace vq {

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

}  // namespace vq
