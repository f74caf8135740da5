#include "core/worker_pool.h"

#ifdef __linux__
#include <sched.h>
#endif

#include <chrono>
#include <exception>

#include "core/elementary.h"
#include "core/trace.h"

namespace vq {

// The standard library counts all processors of the machine, which a job of a cluster has some of.
int usable_cores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

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

void FrameJob::release_frames() {
  frames.distorted.owner.reset();
  frames.distorted.place.reset();
  frames.reference.reset();
  frames.distorted_before.clear();
  frames.references_before.clear();
}

OrderedFrames::~OrderedFrames() {
  for (const auto& job : jobs_) {
    if (job->done.valid()) job->done.wait();
    // The task that ends a frame has waited for the one that began it, if it came to that.
    if (job->begun.valid()) job->begun.wait();
  }
}

FrameJob& OrderedFrames::add(const FramePair& frames) {
  jobs_.push_back(std::make_unique<FrameJob>());
  FrameJob& job = *jobs_.back();
  job.frames = frames;
  job.repeats = repeats_last(frames);
  last_was_reported_ = frames.is_reported;
  if (job.repeats) {
    repeated_frames_ += frames.is_reported;
    job.release_frames();
  }
  return job;
}

bool OrderedFrames::is_same_as_last(const FramePair& frames) const {
  if (!last_was_reported_ || frames.distorted.repeated_planes < use_.planes) return false;
  return !use_.reference || !frames.reference || frames.reference->repeated_planes >= use_.planes;
}

// A frame that repeats one that failed is never delivered: the failure ends the run.
bool OrderedFrames::repeats_last(const FramePair& frames) {
  const int neighbours = std::max(use_.before.distorted, use_.before.references);
  equal_before_ = is_same_as_last(frames) ? std::min(equal_before_, neighbours) + 1 : 0;
  return equal_before_ > neighbours && (!frames.is_reported || *last_was_reported_);
}

bool OrderedFrames::first_is_done() const {
  if (jobs_.empty()) return false;
  const FrameJob& job = *jobs_.front();
  return job.repeats ||
         (job.done.valid() && job.done.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
}

void OrderedFrames::deliver_first(ScoreSink& sink) {
  const std::unique_ptr<FrameJob> job = std::move(jobs_.front());
  jobs_.pop_front();
  if (!job->repeats) job->done.get();
  if (!job->repeats) {
    delivered_ = std::move(job->results);
  }
  sink.scored({job->frames.index, job->frames.is_reported, delivered_});
}

Error at_frame(const Error& error, const std::string& video, int64_t frame) {
  return Error(error.kind(), video + ": frame " + std::to_string(frame) + ": " + error.what());
}

}  // namespace vq
