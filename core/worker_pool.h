// A fixed set of threads that run tasks in the order they were submitted.
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace vq {

class WorkerPool {
 public:
  // `threads` is at least 1. With one thread no thread is started: tasks run inside submit(). If the system
  // refuses a thread, the pool continues with those it has, even none; see size().
  explicit WorkerPool(int threads);
  ~WorkerPool();  // finishes all submitted tasks
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return size_; }
  // The future's get() rethrows an exception of the task.
  std::future<void> submit(std::packaged_task<void()> task);

 private:
  void work();

  int size_ = 1;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace vq
