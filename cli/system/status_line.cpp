#include "cli/system/status_line.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>

#include "core/text/number_text.h"
#include "core/text/text_table.h"

namespace vq::cli {
namespace {

constexpr size_t kWidestBar = 30;
constexpr size_t kNarrowestBar = 6;  // with its brackets
constexpr std::string_view kYellow = "\x1b[33m", kPlainColour = "\x1b[0m", kEraseRest = "\x1b[K";

std::string bar_of(double percent, size_t columns) {
  const size_t inside = columns - 2;
  const auto done = static_cast<size_t>(percent / 100 * static_cast<double>(inside));
  std::string bar = "[";
  bar.append(done, '#').append(inside - done, '-');
  return bar + "]";
}

}  // namespace

// Without the memory to do so the line stays, rather than the program ends here.
StatusLine::~StatusLine() {
  try {
    clear();
  } catch (const std::bad_alloc&) {
  }
}

void StatusLine::clear() {
  if (drawn_columns_ == 0) return;
  const std::string blank =
      style_.can_erase ? std::string(kEraseRest) : std::string(drawn_columns_, ' ') + "\r";
  port_.write("\r" + blank);
  drawn_columns_ = 0;
}

// As wide as there is room, but never wider than before: a bar that grows and shrinks with the digits beside
// it flickers.
size_t StatusLine::bar_columns(size_t room) {
  const bool is_new = width_ != port_.width() || bar_columns_ == 0;
  width_ = port_.width();
  bar_columns_ = std::min(is_new ? kWidestBar : bar_columns_, room);
  return bar_columns_;
}

void StatusLine::draw(std::vector<StatusPart> line, std::optional<double> percent) {
  // The last column stays free, or some terminals would wrap the line.
  const auto width = static_cast<size_t>(std::max(port_.width() - 1, 1));
  const auto columns = [&] {
    size_t sum = 2 * (line.size() - 1);
    for (const StatusPart& part : line) sum += columns_of(part.text);
    return sum;
  };
  while (line.size() > 1 && columns() > width) {
    line.erase(std::max_element(line.begin(), line.end(),
                                [](const StatusPart& a, const StatusPart& b) { return a.rank < b.rank; }));
  }
  if (percent && line.size() > 1 && columns() + 2 + kNarrowestBar <= width) {
    const auto place = std::find_if(line.begin(), line.end(),
                                    [](const StatusPart& part) { return part.rank == kPercentRank; });
    const size_t room = width - columns() - 2;
    line.insert(place == line.end() ? line.begin() + 1 : place + 1, {bar_of(*percent, bar_columns(room)), 0});
  }
  if (columns() > width) line[0].text.resize(width);
  std::string text = "\r";
  for (const StatusPart& part : line) {
    if (text.size() > 1) text += "  ";
    const bool coloured = style_.colour && part.highlighted;
    text += coloured ? std::string(kYellow) + part.text + std::string(kPlainColour) : part.text;
  }
  const size_t drawn = columns();
  if (style_.can_erase) {
    text += kEraseRest;
  } else if (drawn < drawn_columns_) {
    text.append(std::min(drawn_columns_, width) - drawn, ' ');
  }
  drawn_columns_ = drawn;
  port_.write(text);
}

std::string plain_line(const std::vector<StatusPart>& parts) {
  std::string text;
  for (const StatusPart& part : parts) text.append(text.empty() ? "" : "  ").append(part.text);
  return text + "\n";
}

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  const int64_t hours = total / 3600, minutes = total / 60 % 60;
  std::string text = hours > 0 ? std::to_string(hours) + ":" + two_digits(minutes) : std::to_string(minutes);
  return text.append(":").append(two_digits(total % 60));
}

}  // namespace vq::cli
