#include "cli/output_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/message_text.h"
#include "cli/output_file.h"
#include "core/options.h"

namespace vq::cli {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel follows
constexpr int kMaxDescriptor = 1 << 20;

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  const std::optional<int> descriptor = descriptor_of(path);
  const int result = descriptor ? ::fstat(*descriptor, &status) : ::stat(path.c_str(), &status);
  if (result != 0) return std::nullopt;
  return status;
}

// Without following links.
std::optional<int> named_descriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd/";
  for (const std::string& folder : {std::string("/dev/fd/"), std::string("/proc/self/fd/"), own}) {
    long long number = 0;
    if (path.starts_with(folder) && parse_int(path.substr(folder.size()), number) && number >= 0 &&
        number <= kMaxDescriptor) {
      return static_cast<int>(number);
    }
  }
  return std::nullopt;
}

void check_descriptor(const std::string& path, int descriptor) {
  const char* const doing = descriptor == STDOUT_FILENO ? "standard output" : "cannot write";
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) throw output_error(path, doing, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) throw output_error(path, doing, EBADF);
}

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw Error(ErrorKind::kOutput, shown_path(path) + ": cannot write: " + what + ". Try: the name of a file");
}

void check_kind(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder");
  if (S_ISSOCK(status.st_mode)) refuse(path, "is a socket");
  if (S_ISBLK(status.st_mode)) refuse(path, "is a block device");
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw output_error(path, "cannot write", errno);
}

// Which folder it is that a file to be made misses, in words; empty where that is not it.
std::string missing_folder(const std::string& path) {
  std::error_code error;
  const std::string folder = folder_of(path);
  if (!std::filesystem::exists(folder, error)) return ". There is no folder " + shown_path(folder);
  const bool is_removed = std::filesystem::current_path(error).empty() &&
                          error == std::errc::no_such_file_or_directory;
  return is_removed && !path.starts_with('/') ? ". The working folder was removed" : "";
}

}  // namespace

std::optional<int> descriptor_of(const std::string& path) {
  return named_descriptor(follow_links(path));
}

bool is_standard_output(const std::string& path) {
  return descriptor_of(path) == STDOUT_FILENO;
}

bool standard_output_is_open() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

bool is_written_in_place(const std::string& path) {
  if (descriptor_of(path)) return true;
  const auto status = status_of(path);
  return status && (S_ISCHR(status->st_mode) || S_ISFIFO(status->st_mode));
}

std::string follow_links(const std::string& path) {
  std::filesystem::path current = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (named_descriptor(current.string())) return current.string();
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

std::string temporary_name(const std::string& folder, int number) {
  return folder + "/.cambi-" + std::to_string(::getpid()) + "-" + std::to_string(number);
}

Error output_error(const std::string& path, const std::string& doing, int error) {
  std::string message = shown_path(path) + ": " + doing + ": " + errno_text(error);
  if (error == ENOENT) message += missing_folder(path);
  const bool exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return Error(exhausted ? ErrorKind::kResource : ErrorKind::kOutput, message);
}

void check_writable(const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::kOutput, "the name of an output is empty");
  if (const std::optional<int> descriptor = descriptor_of(path)) return check_descriptor(path, *descriptor);
  const auto status = status_of(path);
  if (status) check_kind(path, *status);
  // A name ending in a slash can only be a folder's.
  if (!status && errno == ENOENT && path.ends_with('/')) throw output_error(path, "cannot write", EISDIR);
  if (!status && errno != ENOENT) throw output_error(path, "cannot write", errno);
  // Only making a file tells whether one can be made.
  if (!is_written_in_place(path)) OutputFile probe(path);
}

void check_replaceable(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) return;
  refuse(path, S_ISDIR(status.st_mode)    ? "is a folder"
               : S_ISFIFO(status.st_mode) ? "is a pipe"
                                          : "is no file");
}

std::string partial_path(const std::string& path) {
  return path + std::string(kPartial);
}

std::string openable_partial_path(const std::string& path) {
  const std::filesystem::path name(path);
  return name.parent_path() / (name.stem().string() + std::string(kPartial) + name.extension().string());
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
