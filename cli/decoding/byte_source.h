// Bytes of an input, from a file, a pipe or memory. Inputs are never mapped into memory, so a file that
// shrinks while it is read ends early and nothing worse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/stop_token.h"

namespace vq::cli {

// Bytes cannot be had. The message is the reason alone; who knows the file and the frame adds them.
class ReadError : public Error {
 public:
  explicit ReadError(const std::string& reason) : Error(ErrorKind::kIncomplete, reason) {}
};

// The little that a source of bytes must do. Tests wrap one in another that fails at its n-th read.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads up to `size` bytes and says how many; 0 only at the end.
  // Throws ReadError with the system's reason.
  virtual size_t read(uint8_t* data, size_t size) = 0;
  // Length in bytes as it is now; nothing where the source cannot seek.
  virtual std::optional<int64_t> size() = 0;
  // The next read starts at `offset`, counted from the first byte this source gave. Needs: size() has a
  // value.
  virtual void seek(int64_t offset) = 0;
};

// Opens a file, pipe or device read-only, or standard input. Every other text is the name of a file, also
// where it looks like an address. `stop` is asked while waiting and before every read; where
// it says so the read ends in a ReadError. Throws Error{kInput} with the system's reason; directories and
// empty files are refused.
std::unique_ptr<ByteSource> open_byte_source(const std::string& path, StopToken stop = {});

// All bytes from here on; nothing where there are more than `limit`. Throws ReadError.
std::optional<std::string> read_all_bytes(ByteSource& source, size_t limit);

// Bytes in memory; `seekable` false makes it behave as a pipe.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::vector<uint8_t> bytes, bool seekable = true)
      : bytes_(std::move(bytes)), seekable_(seekable) {}
  size_t read(uint8_t* data, size_t size) override;
  std::optional<int64_t> size() override;
  void seek(int64_t offset) override;

 private:
  std::vector<uint8_t> bytes_;
  bool seekable_;
  size_t position_ = 0;
};

// Reading with a little look-ahead on top of any source. All of its reads throw ReadError where the source
// ends before the length that it had at the start: that is a file that shrank while it was read.
class ByteReader {
 public:
  explicit ByteReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), size_at_start_(source_->size().value_or(0)) {}

  // Up to `size` bytes from here on without consuming them; fewer only at the end. Needs: size <= kMaxPeek.
  std::string_view peek(size_t size);
  // The next byte, nothing at the end.
  std::optional<uint8_t> next();
  // Fills `data` as far as there are bytes and says how far.
  size_t read(uint8_t* data, size_t size);
  // Some bytes, as soon as there are any; 0 only at the end.
  size_t read_some(uint8_t* data, size_t size);
  // Passes over up to `count` bytes and says how many there were.
  int64_t skip(int64_t count);

  int64_t offset() const { return offset_; }
  std::optional<int64_t> size() { return source_->size(); }
  // Needs: size() has a value.
  void seek(int64_t offset);

  static constexpr size_t kMaxPeek = 4096;

 private:
  size_t buffered() const { return end_ - begin_; }
  bool refill();
  size_t read_source(uint8_t* data, size_t size, int64_t at);
  void check_length(int64_t end) const;

  std::unique_ptr<ByteSource> source_;
  int64_t size_at_start_;  // 0 where the source has no size
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(size_t{64} << 10);
  size_t begin_ = 0, end_ = 0;
  bool has_jumped_ = false;  // and has not read since
  int64_t offset_ = 0;       // of the byte at begin_
};

}  // namespace vq::cli
