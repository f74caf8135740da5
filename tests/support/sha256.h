// SHA-256 sums, as golden files have them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

namespace vq::cli::test {

// In hexadecimal digits.
inline std::string sha256_of(std::string_view bytes) {
  AVSHA* sha = av_sha_alloc();
  av_sha_init(sha, 256);
  av_sha_update(sha, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  uint8_t digest[32];
  av_sha_final(sha, digest);
  av_free(sha);
  std::string text;
  for (const uint8_t byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

}  // namespace vq::cli::test
