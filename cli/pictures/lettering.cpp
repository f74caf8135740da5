#include "cli/pictures/lettering.h"

#include <cstddef>
#include <vector>

namespace vq::cli {

std::string fitted_text(const std::string& text, int width, int scale) {
  if (text_width(text, scale) <= width) return text;
  constexpr std::string_view kDots = "...";
  std::vector<size_t> starts;  // of characters
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  for (size_t kept = starts.size(); kept > 1;) {
    --kept;
    const size_t head = kept - kept / 2, tail = kept / 2;
    std::string shorter = text.substr(0, starts[head]);
    shorter += kDots;
    if (tail > 0) shorter += text.substr(starts[starts.size() - tail]);
    if (text_width(shorter, scale) <= width) return shorter;
  }
  return {};
}

}  // namespace vq::cli
