#include "cli/system/output_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/system/standard_streams.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

// Which folder it is that a file to be made misses, in words; empty where that is not it.
std::string missing_folder(const std::string& path) {
  std::error_code error;
  const std::string folder = folder_of(path);
  if (!std::filesystem::exists(folder, error)) return ". There is no folder " + shown_path(folder);
  const bool is_removed =
      std::filesystem::current_path(error).empty() && error == std::errc::no_such_file_or_directory;
  return is_removed && !path.starts_with('/') ? ". The working folder was removed" : "";
}

}  // namespace

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  const std::optional<int> descriptor = descriptor_of(path);
  const int result = descriptor ? ::fstat(*descriptor, &status) : ::stat(path.c_str(), &status);
  if (result != 0) return std::nullopt;
  return status;
}

bool is_written_in_place(const std::string& path) {
  if (descriptor_of(path)) return true;
  const auto status = status_of(path);
  return status && (S_ISCHR(status->st_mode) || S_ISFIFO(status->st_mode));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Error output_error(const std::string& path, const std::string& doing, int error) {
  std::string message = shown_path(path) + ": " + doing + ": " + errno_text(error);
  if (error == ENOENT) message += missing_folder(path);
  const bool exhausted = error == EMFILE || error == ENFILE || error == ENOMEM;
  return Error(exhausted ? ErrorKind::kResource : ErrorKind::kOutput, message);
}

std::string partial_path(const std::string& path) {
  return path + std::string(kPartialSuffix);
}

std::string openable_partial_path(const std::string& path) {
  const std::filesystem::path name(path);
  return name.parent_path() / (name.stem().string() + std::string(kPartialSuffix) + name.extension().string());
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
