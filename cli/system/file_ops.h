// The calls through which outputs are written.
#pragma once

#include <sys/types.h>
#include <string_view>

namespace vq::cli {

// Virtual, so that tests can make each of them fail. Contracts are those of the POSIX functions: -1 and errno
// on failure.
class FileOps {
 public:
  virtual ~FileOps() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual int duplicate(int fd);  // with close-on-exec
  virtual ssize_t write(int fd, const void* data, size_t size);
  virtual off_t seek(int fd, off_t offset);  // from the start
  virtual int fsync(int fd);
  virtual int close(int fd);
  virtual int rename(const char* from, const char* to);
  // Both exist, and each takes the other's name in one step. Not every file system can do that.
  virtual int exchange(const char* one, const char* other);
  virtual int unlink(const char* path);

  // The real ones. Stateless, so shared by all.
  static FileOps& system();
};

// How long a wait may delay the answer to a signal that asks to stop.
inline constexpr int kWaitMilliseconds = 100;

// Writes all of `data`. Where the reader of a pipe is slow, it is waited for, also if the descriptor is
// non-blocking, until a signal asks to stop. Returns 0, or the errno that kept the rest from being written;
// ECANCELED after such a signal.
int write_all(int fd, std::string_view data, FileOps& ops = FileOps::system());

}  // namespace vq::cli
