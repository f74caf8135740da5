// A non-cryptographic hash for detecting changed content, and cache files that are checked by it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Cache files for results that are slow to compute.

// The data that the file holds for exactly this key, or nothing: a file that is missing, truncated, damaged
// or not a cache counts as absent. Callers trust the data, so a checksum protects it. Never throws.
std::vector<uint8_t> load_cache(const std::filesystem::path& file, std::span<const uint8_t> key);

// The temporary file of this thread that save_cache() renames to `file`.
std::filesystem::path own_partial(const std::filesystem::path& file);

// Replaces the file as a whole; failures are ignored. Never throws.
void save_cache(const std::filesystem::path& file, std::span<const uint8_t> key,
                std::span<const uint8_t> data);

}  // namespace vq
