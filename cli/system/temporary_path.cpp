#include "cli/system/temporary_path.h"

#include <unistd.h>

#include <mutex>
#include <utility>

namespace vq::cli {
namespace {

std::mutex all_paths_mutex;
TemporaryPath* all_paths = nullptr;  // with the mutex

}  // namespace

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept {
  std::string path;
  other.swap(path);
  swap(path);
}

TemporaryPath::~TemporaryPath() {
  clear();
}

void TemporaryPath::set(std::string path) {
  swap(path);
}

void TemporaryPath::clear() noexcept {
  std::string none;
  swap(none);
}

void TemporaryPath::swap(std::string& path) noexcept {
  const std::lock_guard lock(all_paths_mutex);
  path_.swap(path);
  const bool is_listed = to_this_ != nullptr;
  if (is_listed == !path_.empty()) return;
  if (is_listed) {
    *to_this_ = next_;
    if (next_ != nullptr) next_->to_this_ = to_this_;
    next_ = nullptr;
    to_this_ = nullptr;
  } else {
    next_ = all_paths;
    to_this_ = &all_paths;
    if (next_ != nullptr) next_->to_this_ = &next_;
    all_paths = this;
  }
}

void remove_temporary_files() noexcept {
  all_paths_mutex.lock();
  for (const TemporaryPath* path = all_paths; path != nullptr; path = path->next_) ::unlink(path->c_str());
}

}  // namespace vq::cli
