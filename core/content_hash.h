// A hash by which bytes are told from others: not against those who want to be taken for others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vq {

class ContentHash {
 public:
  // The hash of texts one after another is that of all of them in one.
  void add(std::string_view bytes);
  uint64_t value() const;

 private:
  void mix(uint64_t word);

  uint64_t state_ = 0x9E3779B97F4A7C15, length_ = 0;
  uint64_t rest_ = 0;  // bytes that are no whole word yet, the first lowest
};

uint64_t content_hash(std::string_view bytes);
// Sixteen digits.
std::string hash_text(uint64_t hash);

}  // namespace vq
