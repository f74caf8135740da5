// Scratch memory for calls that may come from several threads at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace vq {

// Lends workspaces. The pool grows to the peak number in use and never shrinks. May be used from any thread.
template <typename T>
class WorkspacePool {
 public:
  // A workspace, returned to the pool by the destructor; the pool outlives it. The previous borrower's
  // content is still there.
  class Loan {
   public:
    Loan(Loan&& other) noexcept : pool_(other.pool_), workspace_(std::move(other.workspace_)) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (workspace_) pool_->give_back(std::move(workspace_));
    }
    T& operator*() const { return *workspace_; }
    T* operator->() const { return workspace_.get(); }

   private:
    friend class WorkspacePool;
    Loan(WorkspacePool* pool, std::unique_ptr<T> workspace) : pool_(pool), workspace_(std::move(workspace)) {}

    WorkspacePool* const pool_;
    std::unique_ptr<T> workspace_;  // null: moved from
  };

  // `make` may be called by several threads at once.
  explicit WorkspacePool(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  // Throws what `make` throws.
  Loan take() {
    if (std::unique_ptr<T> free = take_free()) return Loan(this, std::move(free));
    std::unique_ptr<T> made = make_();
    const std::lock_guard lock(mutex_);
    // Returning a workspace must not fail, so memory for all is reserved up front.
    free_.reserve(made_ + 1);
    ++made_;
    return Loan(this, std::move(made));
  }

 private:
  std::unique_ptr<T> take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<T> last = std::move(free_.back());
    free_.pop_back();
    return last;
  }
  void give_back(std::unique_ptr<T> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

  const std::function<std::unique_ptr<T>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  size_t made_ = 0;
};

}  // namespace vq
