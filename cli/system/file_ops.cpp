#include "cli/system/file_ops.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include "cli/system/interrupt.h"

namespace vq::cli {
namespace {

bool is_regular(int fd) {
  struct stat status;
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// False where a signal asks to stop before anything can be written. An error counts as writable: the write
// tells which.
bool wait_until_writable(int fd) {
  for (;;) {
    pollfd waiting{fd, POLLOUT, 0};
    if (::poll(&waiting, 1, kWaitMilliseconds) > 0) return true;
    if (interrupt_signal() != 0) return false;
  }
}

}  // namespace

int FileOps::open(const char* path, int flags, mode_t mode) {
  return ::open(path, flags, mode);
}
int FileOps::duplicate(int fd) {
  return ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
}
ssize_t FileOps::write(int fd, const void* data, size_t size) {
  return ::write(fd, data, size);
}
off_t FileOps::seek(int fd, off_t offset) {
  return ::lseek(fd, offset, SEEK_SET);
}
int FileOps::fsync(int fd) {
  return ::fsync(fd);
}
int FileOps::close(int fd) {
  return ::close(fd);
}
int FileOps::rename(const char* from, const char* to) {
  return ::rename(from, to);
}
int FileOps::exchange(const char* one, const char* other) {
  return ::renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}
int FileOps::unlink(const char* path) {
  return ::unlink(path);
}

FileOps& FileOps::system() {
  static FileOps ops;
  return ops;
}

int write_all(int fd, std::string_view data, FileOps& ops) {
  const bool regular = is_regular(fd);
  while (!data.empty()) {
    if (!regular && !wait_until_writable(fd)) return ECANCELED;
    // A pipe that has room has room for this much, so that writing to it never blocks.
    const size_t size = regular ? data.size() : std::min<size_t>(data.size(), PIPE_BUF);
    const ssize_t written = ops.write(fd, data.data(), size);
    if (written > 0) {
      data.remove_prefix(std::min(data.size(), static_cast<size_t>(written)));
    } else if (written == 0) {
      return EIO;
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

}  // namespace vq::cli
