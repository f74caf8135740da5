// A non-cryptographic hash for detecting changed content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vq {

class ContentHash {
 public:
  // May be called several times: only the concatenation of all bytes matters.
  void add(std::string_view bytes);
  uint64_t value() const;

 private:
  void mix(uint64_t word);

  uint64_t state_ = 0x9E3779B97F4A7C15, length_ = 0;
  uint64_t rest_ = 0;  // bytes that do not fill a word yet, the first in the lowest bits
};

uint64_t content_hash(std::string_view bytes);
// Sixteen hexadecimal digits.
std::string hash_text(uint64_t hash);

}  // namespace vq
