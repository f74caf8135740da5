#include "engine/libvmaf/frame_worker.h"

#include <utility>

#include "engine/libvmaf/log.h"

namespace vq::libvmaf {

FrameWorker::FrameWorker(Steps steps, const QueueLimits& limits)
    : steps_(std::move(steps)), limits_(limits), thread_([this] { work(); }) {}

FrameWorker::~FrameWorker() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

bool FrameWorker::is_full() const {
  constexpr size_t kLeast = 3;
  return queue_.size() >= kLeast && (queue_.size() >= limits_.frames || bytes_ >= limits_.bytes);
}

void FrameWorker::add(std::shared_ptr<FrameJob> job) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_full(); });
    bytes_ += job->bytes;
    queue_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void FrameWorker::wait(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_idle() || condition(); });
  --waiting_;
}

// Results of frames may stay where they are until somebody waits for them.
void FrameWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stops_ || !queue_.empty() || (waiting_ > 0 && has_begun_); });
    if (stops_) return;
    std::shared_ptr<FrameJob> job;
    if (!queue_.empty()) {
      job = std::move(queue_.front());
      queue_.pop_front();
      bytes_ -= job->bytes;
    }
    is_busy_ = true;
    lock.unlock();
    changed_.notify_all();
    const bool has_job = job != nullptr;
    const int fault = guarded([&] {
      has_job ? steps_.score(job) : steps_.finish();
      return 0;
    });
    if (fault != 0) steps_.fail(fault);
    job.reset();
    lock.lock();
    has_begun_ = has_job;
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace vq::libvmaf
