#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "cli/system/files.h"
#include "cli/system/process.h"

namespace vq::cli {

static FileKind kind_of(mode_t mode) {
  return S_ISDIR(mode)    ? FileKind::kFolder
         : S_ISLNK(mode)  ? FileKind::kLink
         : S_ISFIFO(mode) ? FileKind::kPipe
         : S_ISCHR(mode)  ? FileKind::kCharacterDevice
         : S_ISBLK(mode)  ? FileKind::kBlockDevice
         : S_ISSOCK(mode) ? FileKind::kSocket
                          : FileKind::kFile;
}

static FileStatus status_from(const struct stat& status) {
  return {kind_of(status.st_mode), status.st_size, {status.st_dev, status.st_ino}, status.st_mtim};
}

// False if a signal asks to stop before anything can be written. An error counts as writable: the write tells
// which.
static bool wait_until_writable(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  while (::poll(&waiting, 1, kWaitMilliseconds) <= 0) {
    if (interrupt_signal() != 0) return false;
  }
  return true;
}

std::optional<FileStatus> file_status(const std::string& path, Links links) {
  struct stat status;
  const auto ask = links == Links::kFollowed ? ::stat : ::lstat;
  return ask(path.c_str(), &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

std::optional<FileStatus> file_status(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 ? std::optional(status_from(status)) : std::nullopt;
}

std::vector<std::string> matching_paths(const std::string& pattern) {
  glob_t found = {};
  const int code = ::glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  if (code == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

int open_to_read(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int duplicate(int descriptor) { return ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

bool wait_until_readable(int descriptor, int milliseconds) {
  pollfd waiting{descriptor, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, milliseconds);
  return ready > 0 || (ready < 0 && errno != EINTR);
}

bool is_own_descriptor_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical("/proc/self", error);
  if (error) return false;
  const std::filesystem::path real = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  return !error && real.filename() == "fd" && real.native().starts_with(own.native() + "/");
}

bool is_open_for_writing(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) errno = EBADF;
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

bool may_write(const std::string& path) { return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0; }

int open_new(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
}

int open_again(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW); }

int open_to_append(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

int open_in_place(const std::string& path) {
  // Opening a pipe waits for its reader, where no signal would be heard; O_NONBLOCK fails instead.
  const auto is_pipe = [&] {
    const auto status = file_status(path);
    return status && status->kind == FileKind::kPipe;
  };
  for (;;) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 || (errno != EINTR && !(errno == ENXIO && is_pipe()))) return fd;
    if (interrupt_signal() != 0) {
      errno = ECANCELED;
      return -1;
    }
    ::poll(nullptr, 0, kWaitMilliseconds);
  }
}

int write_all(int descriptor, std::string_view data) {
  struct stat status;
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  while (!data.empty()) {
    if (!regular && !wait_until_writable(descriptor)) return ECANCELED;
    // A pipe that has room has room for this much, so that writing to it never blocks.
    const size_t size = regular ? data.size() : std::min<size_t>(data.size(), PIPE_BUF);
    const ssize_t written = ::write(descriptor, data.data(), size);
    if (written > 0) {
      data.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

int flush(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

int flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;
  const int error = flush(fd);
  ::close(fd);
  return error;
}

int copy_attributes(int descriptor, const std::string& from) {
  constexpr mode_t kPermissionBits = 0777;
  struct stat old;
  if (::stat(from.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return 0;
  // Only root may give files away; whoever else replaces a file becomes its owner.
  if (::fchown(descriptor, old.st_uid, old.st_gid) != 0 && errno != EPERM) return errno;
  return ::fchmod(descriptor, old.st_mode & kPermissionBits) != 0 && errno != EPERM ? errno : 0;
}

int replace_file(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

void remove_file(const char* path) noexcept { ::unlink(path); }

int lock_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return fd;
  ::close(fd);
  errno = EWOULDBLOCK;
  return -1;
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) != 0; }

int terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char* LibraryName::here() const { return on_posix; }

void* library_function(const LibraryName& library, const char* name, std::string& reason) {
  void* const opened = dlopen(library.here(), RTLD_LAZY);
  void* const function = opened != nullptr ? dlsym(opened, name) : nullptr;
  if (function == nullptr) reason = dlerror();
  return function;
}

}  // namespace vq::cli
