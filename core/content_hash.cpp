#include "core/content_hash.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "core/platform.h"
#include "core/text.h"

namespace vq {

constexpr uint64_t kWordBytes = 8;

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

namespace {

constexpr uint64_t kMagic = 0x3130454843414356;  // "VCACHE01"
constexpr size_t kMaxCacheBytes = size_t{64} << 20;

// Against damage, not against malice.
uint64_t checksum(std::span<const uint8_t> key, std::span<const uint8_t> data) {
  ContentHash hash;
  for (const auto part : {key, data}) hash.add({reinterpret_cast<const char*>(part.data()), part.size()});
  return hash.value();
}

struct Head {
  uint64_t magic = kMagic;
  uint64_t bytes = 0;
  uint64_t sum = 0;
};

}  // namespace

// Threads of one process may have the same to say.
std::filesystem::path own_partial(const std::filesystem::path& file) {
  std::filesystem::path partial = file;
  partial += path_of(words(".{}.{}", getpid(), std::hash<std::thread::id>()(std::this_thread::get_id())));
  return partial;
}

std::vector<uint8_t> load_cache(const std::filesystem::path& file, std::span<const uint8_t> key) {
  try {
    // Opening a pipe would wait for somebody to write to it.
    if (!std::filesystem::is_regular_file(file)) return {};
    std::ifstream in(file, std::ios::binary);
    Head head;
    if (!in.read(reinterpret_cast<char*>(&head), sizeof head)) return {};
    if (head.magic != kMagic || head.bytes > kMaxCacheBytes) return {};
    std::vector<uint8_t> data(head.bytes);
    if (!in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
    if (in.peek() != std::ifstream::traits_type::eof() || head.sum != checksum(key, data)) return {};
    return data;
  } catch (const std::exception&) {
    return {};
  }
}

void save_cache(const std::filesystem::path& file, std::span<const uint8_t> key,
                std::span<const uint8_t> data) {
  if (data.size() > kMaxCacheBytes) return;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    const std::filesystem::path partial = own_partial(file);
    std::filesystem::remove(partial, ignored);
    {
      std::ofstream out(partial, std::ios::binary | std::ios::trunc);
      const Head head{.bytes = data.size(), .sum = checksum(key, data)};
      out.write(reinterpret_cast<const char*>(&head), sizeof head);
      out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
      out.close();
      if (out.fail()) {
        std::filesystem::remove(partial, ignored);
        return;
      }
    }
    std::filesystem::rename(partial, file, ignored);
    if (ignored) std::filesystem::remove(partial, ignored);
  } catch (const std::exception&) {
    return;  // starting takes longer next time, and that is all
  }
}

}  // namespace vq
