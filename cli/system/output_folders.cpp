#include "cli/system/output_folders.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/system/file_ops.h"
#include "cli/system/interrupt.h"
#include "cli/system/output_path.h"

namespace vq::cli {
namespace {

constexpr mode_t kFolderMode = 0777;  // less what umask takes
constexpr mode_t kHiddenMode = 0700;

// Makes and notes it. False and errno where it cannot be made.
bool make_folder(const std::string& path, mode_t mode, SignalCleanup& cleanup) {
  const UninterruptedSection section;
  if (mkdir(path.c_str(), mode) != 0) return false;
  try {
    cleanup = SignalCleanup(path);
  } catch (...) {
    rmdir(path.c_str());
    throw;
  }
  return true;
}

}  // namespace

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
  made_ = make_folder(path_, kFolderMode, cleanup_);
  if (made_) return;
  if (errno != EEXIST) throw output_error(path_, "cannot make the folder", errno);
  struct stat status = {};
  if (stat(path_.c_str(), &status) != 0) throw output_error(path_, "cannot use the folder", errno);
  if (!S_ISDIR(status.st_mode)) throw output_error(path_, "cannot write into it", ENOTDIR);
}

OutputFolder::~OutputFolder() {
  unlock();
  if (made_) rmdir(path_.c_str());
}

void OutputFolder::lock() {
  if (lock_ >= 0) return;
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (lock_ >= 0 && flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && interrupt_signal() == 0)
    poll(nullptr, 0, kWaitMilliseconds);
}

void OutputFolder::unlock() {
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

HiddenFolder::HiddenFolder(const std::string& where) {
  for (int i = 0; i < kMaxTemporaries; ++i) {
    path_ = temporary_name(where, i);
    if (make_folder(path_, kHiddenMode, cleanup_)) return;
    if (errno != EEXIST) break;
  }
  throw output_error(where, "cannot write into it", errno);
}

HiddenFolder::~HiddenFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string HiddenFolder::next_file() {
  cleanup_.set_file_count(files_ + 1);
  return path_ + "/" + std::to_string(files_++);
}

}  // namespace vq::cli
