#include "core/content_hash.h"

#include <bit>
#include <cstring>

#include "core/text.h"

namespace vq {
namespace {

constexpr uint64_t kWordBytes = 8;

}  // namespace

// Multiplication by an odd number and xor with a shifted copy can both be undone, so no two words come to the
// same.
void ContentHash::mix(uint64_t word) {
  state_ = (state_ ^ word) * 0xD6E8FEB86659FD93;
  state_ ^= state_ >> 32;
}

void ContentHash::add(std::string_view bytes) {
  while (!bytes.empty() && length_ % kWordBytes != 0) {
    rest_ |= uint64_t{static_cast<uint8_t>(bytes.front())} << 8 * (length_ % kWordBytes);
    bytes.remove_prefix(1);
    if (++length_ % kWordBytes == 0) {
      mix(rest_);
      rest_ = 0;
    }
  }
  static_assert(std::endian::native == std::endian::little);
  for (; bytes.size() >= kWordBytes; bytes.remove_prefix(kWordBytes)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), kWordBytes);
    mix(word);
    length_ += kWordBytes;
  }
  for (const char byte : bytes) {
    rest_ |= uint64_t{static_cast<uint8_t>(byte)} << 8 * (length_ % kWordBytes);
    ++length_;
  }
}

uint64_t ContentHash::value() const {
  ContentHash end = *this;
  end.mix(rest_);
  end.mix(length_);
  end.mix(0);
  return end.state_;
}

uint64_t content_hash(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.value();
}

std::string hash_text(uint64_t hash) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(hash >> (56 - 8 * i));
  return hexadecimal(bytes);
}

}  // namespace vq
