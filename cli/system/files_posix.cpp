#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "cli/system/files.h"

namespace vq::cli {
namespace {

FileKind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return FileKind::kFolder;
    case S_IFLNK:
      return FileKind::kLink;
    case S_IFIFO:
      return FileKind::kPipe;
    case S_IFCHR:
      return FileKind::kCharacterDevice;
    case S_IFBLK:
      return FileKind::kBlockDevice;
    case S_IFSOCK:
      return FileKind::kSocket;
    default:
      return FileKind::kFile;
  }
}

FileStatus status_from(const struct stat& status) {
  return {kind_of(status.st_mode), status.st_size, {status.st_dev, status.st_ino}, status.st_mtim};
}

}  // namespace

std::optional<FileStatus> file_status(const std::string& path, Links links) {
  struct stat status;
  const auto ask = links == Links::kFollowed ? ::stat : ::lstat;
  return ask(path.c_str(), &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

std::optional<FileStatus> file_status(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

int open_to_read(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int duplicate(int descriptor) {
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

bool wait_until_readable(int descriptor, int milliseconds) {
  pollfd waiting{descriptor, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, milliseconds);
  return ready > 0 || (ready < 0 && errno != EINTR);
}

const char* LibraryName::here() const {
  return on_posix;
}

void* library_function(const LibraryName& library, const char* name, std::string& reason) {
  void* const opened = dlopen(library.here(), RTLD_LAZY);
  void* const function = opened != nullptr ? dlsym(opened, name) : nullptr;
  if (function == nullptr) reason = dlerror();
  return function;
}

}  // namespace vq::cli
