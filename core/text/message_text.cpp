#include "core/text/message_text.h"

#include <system_error>

namespace vq {

std::string counted(int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string sample_text(int64_t n, bool is_spread) {
  if (is_spread) return "one of every " + std::to_string(n) + " frames";
  const int64_t last = n / 10 % 10 == 1 ? 0 : n % 10;
  return "every " + std::to_string(n) +
         (last == 1   ? "st"
          : last == 2 ? "nd"
          : last == 3 ? "rd"
                      : "th") +
         " frame";
}

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace vq
