#include "cli/decoding/uncompressed/byte_source.h"

#include <unistd.h>

#include "cli/system/files.h"
#include "cli/system/messages.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// How long a wait for a pipe may delay the answer to a request to stop.
constexpr int kPollMilliseconds = 100;

[[noreturn]] void refuse(const std::string& path, int error) {
  throw Error(input_error_kind(error), words("{} cannot be opened: {}", shown_path(path), errno_text(error)));
}

class FileSource : public ByteSource {
 public:
  FileSource(int fd, std::string path, StopToken stop)
      : fd_(fd), path_(std::move(path)), stop_(std::move(stop)) {}
  ~FileSource() override { ::close(fd_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  // Looks at what was opened. Throws as open_byte_source().
  void inspect() {
    const auto status = file_status(fd_);
    if (!status) refuse(path_, errno);
    if (status->kind == FileKind::kFolder) refuse(path_, EISDIR);
    if (status->kind != FileKind::kFile) return;
    const off_t here = ::lseek(fd_, 0, SEEK_CUR);
    if (here < 0) refuse(path_, errno);
    start_ = here;
    regular_ = true;
    if (*size() == 0) throw Error(ErrorKind::kInput, "{} is empty", shown_path(path_));
  }

  size_t read(uint8_t* data, size_t size) override {
    // The kernel reads at most this much at once on every system.
    size = std::min(size, size_t{1} << 30);
    for (;;) {
      wait_for_bytes();
      const ssize_t count = ::read(fd_, data, size);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR && errno != EAGAIN) fail(errno);
    }
  }

  std::optional<int64_t> size() override {
    if (!regular_) return std::nullopt;
    const auto status = file_status(fd_);
    if (!status) fail(errno);
    return std::max<int64_t>(0, status->bytes - start_);
  }

  void seek(int64_t offset) override {
    if (::lseek(fd_, start_ + offset, SEEK_SET) < 0) fail(errno);
  }

 private:
  void wait_for_bytes() {
    for (;;) {
      if (stop_.is_requested()) throw ReadError("reading was interrupted");
      if (regular_) return;
      if (wait_until_readable(fd_, stop_.is_possible() ? kPollMilliseconds : -1)) return;
    }
  }

  [[noreturn]] static void fail(int error) { throw ReadError("read error: " + errno_text(error)); }

  int fd_;
  std::string path_;
  StopToken stop_;
  bool regular_ = false;
  int64_t start_ = 0;  // standard input may have been read from before
};

int open_descriptor(const std::string& path, const StopToken& stop) {
  if (is_standard_input(path)) return duplicate(STDIN_FILENO);
  for (;;) {
    // A pipe without a writer is waited for if waiting can be stopped, which open() cannot.
    const int fd = open_to_read(path);
    if (fd >= 0 || errno != EINTR || stop.is_requested()) return fd;
  }
}

}  // namespace

std::unique_ptr<ByteSource> open_byte_source(const std::string& path, StopToken stop) {
  const int fd = open_descriptor(path, stop);
  if (fd < 0) refuse(path, errno);
  auto source = std::make_unique<FileSource>(fd, path, std::move(stop));
  source->inspect();
  return source;
}

std::optional<std::string> read_all_bytes(ByteSource& source, size_t limit) {
  constexpr size_t kStep = size_t{64} << 10;
  std::string bytes;
  for (;;) {
    const size_t had = bytes.size();
    bytes.resize(had + kStep);
    const size_t count = source.read(reinterpret_cast<uint8_t*>(bytes.data()) + had, kStep);
    bytes.resize(had + count);
    if (bytes.size() > limit) return std::nullopt;
    if (count == 0) return bytes;
  }
}

std::string read_file(const std::string& path, size_t limit, StopToken stop) {
  const auto source = open_byte_source(path, std::move(stop));
  try {
    std::optional<std::string> bytes = read_all_bytes(*source, limit);
    if (bytes) return *std::move(bytes);
  } catch (const ReadError& error) {
    throw Error(ErrorKind::kInput, "{}: {}", shown_path(path), error.what());
  }
  throw Error(ErrorKind::kInput, "{}: too large, over {} MiB", shown_path(path), limit >> 20);
}

bool ByteReader::refill() {
  if (begin_ > 0 && buffered() > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
  end_ -= begin_;
  begin_ = 0;
  // Whoever passes over parts of a file wants to see little in between.
  const size_t room = has_jumped_ ? kMaxPeek : buffer_.size() - end_;
  has_jumped_ = false;
  const size_t count = read_source(buffer_.data() + end_, room, offset_ + static_cast<int64_t>(buffered()));
  end_ += count;
  return count > 0;
}

// Reads from the source, which stands at the offset `at`.
size_t ByteReader::read_source(uint8_t* data, size_t size, int64_t at) {
  const size_t count = source_->read(data, size);
  if (count == 0 && size > 0) check_length(at);
  return count;
}

// Throws if the source ends at `end` though it was longer.
void ByteReader::check_length(int64_t end) const {
  if (end >= size_at_start_) return;
  throw ReadError(words("the file became shorter while it was read: it ends at byte {}, and had {}", end,
                        size_at_start_));
}

std::string_view ByteReader::peek(size_t size) {
  size = std::min(size, kMaxPeek);
  while (buffered() < size && refill()) {
  }
  return {reinterpret_cast<const char*>(buffer_.data()) + begin_, std::min(size, buffered())};
}

std::optional<uint8_t> ByteReader::next() {
  if (buffered() == 0 && !refill()) return std::nullopt;
  ++offset_;
  return buffer_[begin_++];
}

size_t ByteReader::read_some(uint8_t* data, size_t size) {
  size_t count = 0;
  if (buffered() == 0 && size >= buffer_.size()) {
    count = read_source(data, size, offset_);
  } else {
    if (buffered() == 0 && !refill()) return 0;
    count = std::min(size, buffered());
    std::memcpy(data, buffer_.data() + begin_, count);
    begin_ += count;
  }
  offset_ += static_cast<int64_t>(count);
  return count;
}

size_t ByteReader::read(uint8_t* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const size_t count = read_some(data + done, size - done);
    if (count == 0) break;
    done += count;
  }
  return done;
}

int64_t ByteReader::skip(int64_t count) {
  const int64_t start = offset_, end = start + count;
  const auto pass_buffered = [&] {
    const int64_t step = std::min(end - offset_, static_cast<int64_t>(buffered()));
    begin_ += static_cast<size_t>(step);
    offset_ += step;
  };
  pass_buffered();
  // Seeking past the end succeeds, so the length is asked for each time.
  if (const auto length = offset_ < end ? size() : std::nullopt) {
    seek(std::max(offset_, std::min(end, *length)));
    if (offset_ < end) check_length(*length);
  } else {
    while (offset_ < end && (buffered() > 0 || refill())) pass_buffered();
  }
  return offset_ - start;
}

void ByteReader::seek(int64_t offset) {
  source_->seek(offset);
  begin_ = end_ = 0;
  has_jumped_ = true;
  offset_ = offset;
}

}  // namespace vq::cli
