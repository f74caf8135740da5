#include "core/worker_pool.h"

#include <exception>

#include "core/exact_floats.h"
#include "core/trace.h"

namespace vq {

WorkerPool::WorkerPool(int threads) : size_(threads < 1 ? 1 : threads) {
  if (size_ == 1) return;
  threads_.reserve(static_cast<size_t>(size_));
  try {
    for (int i = 0; i < size_; ++i) {
      threads_.emplace_back([this, i] {
        name_thread("worker " + std::to_string(i + 1));
        work();
      });
    }
  } catch (const std::exception&) {
    // No thread, or no memory for one. Fewer threads are slower, not wrong; with none at all, tasks run where
    // they are submitted.
    size_ = threads_.empty() ? 1 : static_cast<int>(threads_.size());
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::future<void> WorkerPool::submit(std::packaged_task<void()> task) {
  std::future<void> done = task.get_future();
  if (threads_.empty()) {
    const ExactFloats exact;
    task();
    return done;
  }
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
  return done;
}

void WorkerPool::work() {
  const ExactFloats exact;
  for (;;) {
    std::packaged_task<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace vq
