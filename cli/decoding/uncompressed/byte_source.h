// Bytes of an input, from a file or a pipe.
#pragma once

#include "core/error.h"
#include "core/frame.h"
#include "core/worker_pool.h"

namespace vq::cli {

// A failed read. The message is the reason alone; callers add the file and the frame.
class ReadError : public Error {
 public:
  explicit ReadError(const std::string& reason) : Error(ErrorKind::kIncomplete, reason) {}
};

// The minimal interface of a source of bytes. Tests wrap one in another that fails at its n-th read.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads up to `size` bytes and returns their number; 0 only at the end. Throws ReadError with the system's
  // reason.
  virtual size_t read(uint8_t* data, size_t size) = 0;
  // Current length in bytes; nothing if the source cannot seek.
  virtual std::optional<int64_t> size() = 0;
  // The next read starts at `offset`, relative to the first byte of this source. Needs: size() has a value.
  virtual void seek(int64_t offset) = 0;
};

// Opens a file, pipe or device read-only, or standard input. Any other text is a file name, even if it looks
// like a URL. `stop` is asked while waiting and before every read; if it is requested, the read throws
// ReadError. Throws Error{kInput} with the system's reason; directories and empty files are refused.
std::unique_ptr<ByteSource> open_byte_source(const std::string& path, StopToken stop = {});

// All remaining bytes; nothing if there are more than `limit`. Throws ReadError.
std::optional<std::string> read_all_bytes(ByteSource& source, size_t limit);

// All of a file or pipe, or of standard input for "-"; `stop` is asked while waiting and ends it. Throws
// Error{kInput} if it cannot be read or has more than `limit` bytes.
std::string read_file(const std::string& path, size_t limit, StopToken stop = {});

// Reading with a short look-ahead on top of any source. All reads throw ReadError if the source ends before
// its initial length: the file then shrank while it was read.
class ByteReader {
 public:
  explicit ByteReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), size_at_start_(source_->size().value_or(0)) {}

  // Up to `size` bytes without consuming them; fewer only at the end. Needs: size <= kMaxPeek.
  std::string_view peek(size_t size);
  std::optional<uint8_t> next();
  // Fills `data` with the available bytes and returns their number.
  size_t read(uint8_t* data, size_t size);
  // Returns as soon as some bytes are available; 0 only at the end.
  size_t read_some(uint8_t* data, size_t size);
  // Skips up to `count` bytes and returns their number.
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
  int64_t size_at_start_;  // 0 if the source has no size
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(size_t{64} << 10);
  size_t begin_ = 0, end_ = 0;
  bool has_jumped_ = false;  // and has not read since
  int64_t offset_ = 0;       // of the byte at begin_
};

}  // namespace vq::cli
