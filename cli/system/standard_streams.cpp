#include "cli/system/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel follows
constexpr int kMaxDescriptor = 1 << 20;

// The folder in which the kernel names the descriptors of this process or of this thread.
bool is_own_descriptor_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical("/proc/self", error);
  if (error) return false;
  const std::filesystem::path real = std::filesystem::canonical(folder.empty() ? "." : folder, error);
  return !error && real.filename() == "fd" && real.native().starts_with(own.native() + "/");
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

}  // namespace

// Follows the links one by one: the last, from a descriptor's name to what is open there, must not be
// followed, since the same file under its own name is another input.
bool is_standard_input(const std::string& path) {
  if (path == "-" || path == "/dev/stdin") return true;
  std::filesystem::path current = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (current.filename() == "0" && is_own_descriptor_folder(current.parent_path())) return true;
    const std::filesystem::path target = std::filesystem::read_symlink(current, error);
    if (error) return false;
    current = current.parent_path() / target;
  }
  return false;
}

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

}  // namespace vq::cli
