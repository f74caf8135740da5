#include "tests/fuzz/target.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "core/text.h"

namespace vq::fuzz {

void broken_promise(const std::string& what) {
  std::fprintf(stderr, "broken promise: %s\n", what.c_str());
  std::abort();
}

void check_message(std::string_view text) {
  require(!text.empty(), "an error has a message");
  if (printable(text, std::string_view::npos) != text)
    broken_promise("not one line of text: " + printable(text, std::string_view::npos));
}

uint8_t ByteTaker::byte() {
  if (bytes_.empty()) return 0;
  const uint8_t value = bytes_.front();
  bytes_ = bytes_.subspan(1);
  return value;
}

uint64_t ByteTaker::word(int size_bytes) {
  uint64_t value = 0;
  for (int i = 0; i < size_bytes; ++i) value = value << 8 | byte();
  return value;
}

int ByteTaker::integer(int min, int max) {
  const uint64_t range = static_cast<uint64_t>(max - min) + 1;
  return min + static_cast<int>(word(range > 256 ? 2 : 1) % range);
}

std::string ByteTaker::text() {
  const size_t wanted = byte();  // before what is left is looked at
  const size_t size = std::min(wanted, bytes_.size());
  const std::string value(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(size));
  bytes_ = bytes_.subspan(size);
  return value;
}

double ByteTaker::real() {
  constexpr double kSpecial[] = {0.0, -0.0, 1.0, 5.5, 1e-7, 1e300, 24.0, 0.1};
  const uint8_t kind = byte();
  if (kind < 64) return kSpecial[kind % 8];
  if (kind < 160) return static_cast<double>(word(2)) / 1024;
  return std::bit_cast<double>(word(8));
}

}  // namespace vq::fuzz
