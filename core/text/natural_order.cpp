#include "core/text/natural_order.h"

#include <algorithm>
#include <compare>

namespace vq {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the number that the text begins with off it, without its leading zeros. It may be longer than any
// integer.
std::string_view take_number(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

// A folder's end comes before every character that a longer name may go on with.
int rank_of(char c) {
  return c == '/' ? 0 : 1 + static_cast<unsigned char>(c);
}

std::strong_ordering compare(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    std::strong_ordering order = std::strong_ordering::equal;
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view number = take_number(a);
      order = compare_numbers(number, take_number(b));
    } else {
      order = rank_of(a.front()) <=> rank_of(b.front());
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    if (order != std::strong_ordering::equal) return order;
  }
  return a.size() <=> b.size();
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::strong_ordering order = compare(a, b);
  return order == std::strong_ordering::equal ? a < b : order == std::strong_ordering::less;
}

}  // namespace vq
