#include "core/text/text_table.h"

#include <algorithm>

#include "core/text.h"
#include "core/text/fit_text.h"

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
      std::vector<std::string> cells;
      for (const auto& row : rows_) cells.push_back(row[c]);
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
        line += columns_[c].align == TextColumn::Align::kLeft ? row[c] + gap : gap + row[c];
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
    const auto first = std::max_element(shown_.begin(), shown_.end(), [&](size_t a, size_t b) {
      return columns_[a].rank < columns_[b].rank;
    });
    if (columns_[*first].rank == 0) return false;
    shown_.erase(first);
    return true;
  }

  // What does not fit goes on in rows that are empty otherwise.
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

}  // namespace vq
