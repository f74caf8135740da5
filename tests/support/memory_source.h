// Bytes in memory; without `seekable` they come as from a pipe.
#pragma once

#include "cli/decoding/uncompressed/byte_source.h"

namespace vq::cli {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::vector<uint8_t> bytes, bool seekable = true)
      : bytes_(std::move(bytes)), seekable_(seekable) {}
  size_t read(uint8_t* data, size_t size) override {
    const size_t count = std::min(size, bytes_.size() - std::min(position_, bytes_.size()));
    if (count > 0) std::memcpy(data, bytes_.data() + position_, count);
    position_ += count;
    return count;
  }
  std::optional<int64_t> size() override {
    return seekable_ ? std::optional(static_cast<int64_t>(bytes_.size())) : std::nullopt;
  }
  void seek(int64_t offset) override { position_ = static_cast<size_t>(std::max<int64_t>(0, offset)); }

 private:
  std::vector<uint8_t> bytes_;
  bool seekable_;
  size_t position_ = 0;
};

}  // namespace vq::cli
