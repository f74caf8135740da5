#include "cli/commands/flags.h"

#include <algorithm>

namespace vq::cli {

std::vector<std::string> choices_of(const Flag& flag) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  std::vector<std::string> words;
  for (size_t start = 0; start <= flag.type.size();) {
    const size_t end = std::min(flag.type.find('|', start), flag.type.size());
    const std::string_view word = flag.type.substr(start, end - start);
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_plain)) return {};
    words.emplace_back(word);
    start = end + 1;
  }
  return words;
}

}  // namespace vq::cli
