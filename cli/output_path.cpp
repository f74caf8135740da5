#include "cli/output_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/message_text.h"
#include "cli/output_file.h"
#include "core/options.h"

namespace vq::cli {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel follows

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  const int result =
      is_standard_output(path) ? ::fstat(STDOUT_FILENO, &status) : ::stat(path.c_str(), &status);
  if (result != 0) return std::nullopt;
  return status;
}

bool is_descriptor_path(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

void check_standard_output(const std::string& path) {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0) throw output_error(path, "standard output", errno);
  if ((flags & O_ACCMODE) == O_RDONLY) throw output_error(path, "standard output", EBADF);
}

void check_replaceable(const std::string& path, const struct stat& status) {
  const char* what = S_ISDIR(status.st_mode)    ? "is a folder"
                     : S_ISSOCK(status.st_mode) ? "is a socket"
                     : S_ISBLK(status.st_mode)  ? "is a block device"
                                                : nullptr;
  if (what) {
    throw Error(ErrorKind::kOutput,
                shown_path(path) + ": cannot write: " + what + ". Try: the name of a file");
  }
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw output_error(path, "cannot write", errno);
}

}  // namespace

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout";
}

bool standard_output_is_open() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

std::string follow_links(const std::string& path) {
  std::filesystem::path current = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (!std::filesystem::is_symlink(current, error) || error) return current.string();
    const std::filesystem::path next = std::filesystem::read_symlink(current, error);
    if (error) return path;
    current = next.is_absolute() ? next : current.parent_path() / next;
  }
  return path;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Error output_error(const std::string& path, const std::string& doing, int error) {
  std::string message =
      shown_path(path) + ": " + doing + ": " + errno_text(error);
  if (error == ENOENT) message += ". Try: make the folder first";
  const bool exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return Error(exhausted ? ErrorKind::kResource : ErrorKind::kOutput, message);
}

bool is_written_in_place(const std::string& path) {
  if (is_standard_output(path) || is_descriptor_path(path)) return true;
  const auto status = status_of(path);
  return status && (S_ISCHR(status->st_mode) || S_ISFIFO(status->st_mode));
}

void check_writable(const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::kOutput, "the name of an output is empty");
  if (is_standard_output(path)) return check_standard_output(path);
  const auto status = status_of(path);
  if (status) check_replaceable(path, *status);
  // A name ending in a slash can only be a folder's.
  if (!status && errno == ENOENT && path.ends_with('/')) throw output_error(path, "cannot write", EISDIR);
  if (!status && errno != ENOENT) throw output_error(path, "cannot write", errno);
  // Only making a file tells whether one can be made.
  if (!is_written_in_place(path)) OutputFile probe(path);
}

std::optional<std::string> partial_path(const std::string& path) {
  if (is_written_in_place(path)) return std::nullopt;
  return path + kPartialSuffix;
}

bool same_file(const std::string& a, const std::string& b) {
  const auto status_a = status_of(a), status_b = status_of(b);
  if (status_a && status_b) {
    if (S_ISCHR(status_a->st_mode) || S_ISSOCK(status_a->st_mode)) return false;
    return status_a->st_dev == status_b->st_dev && status_a->st_ino == status_b->st_ino;
  }
  if (status_a || status_b) return false;
  const std::filesystem::path target_a = follow_links(a), target_b = follow_links(b);
  if (target_a.filename() != target_b.filename()) return false;
  const auto folder_a = status_of(folder_of(target_a)), folder_b = status_of(folder_of(target_b));
  if (!folder_a || !folder_b) return target_a.lexically_normal() == target_b.lexically_normal();
  return folder_a->st_dev == folder_b->st_dev && folder_a->st_ino == folder_b->st_ino;
}

}  // namespace vq::cli
