#include "core/text/fit_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/text/text_width.h"

namespace vq {
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
size_t most_indent(size_t width) {
  return width * 2 / 5;
}

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
