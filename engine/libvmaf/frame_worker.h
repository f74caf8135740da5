// The thread that scores frames while the caller reads the next.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/libvmaf/scoring_group.h"

namespace vq::libvmaf {

// How many frames may wait. Some do, whatever their size.
struct QueueLimits {
  size_t frames = 4;
  int64_t bytes = int64_t{1} << 30;
};

class FrameWorker {
 public:
  // Called on the worker's thread: what is done with a frame, how all that is under way is brought to an end,
  // and what becomes of an exception of either, as a negative errno. The last throws nothing.
  struct Steps {
    std::function<void(const std::shared_ptr<FrameJob>&)> score;
    std::function<void()> finish;
    std::function<void(int fault)> fail;
  };
  // Throws std::system_error where there is no thread to be had.
  FrameWorker(Steps steps, const QueueLimits& limits);
  // Drops what waits.
  ~FrameWorker();
  FrameWorker(const FrameWorker&) = delete;
  FrameWorker& operator=(const FrameWorker&) = delete;

  // Blocks while too many wait.
  void add(std::shared_ptr<FrameJob> job);
  // Waits until the condition holds, or all frames that were added are done. It is asked after each.
  void wait(const std::function<bool()>& condition);
  void wait_for_all() {
    wait([] { return false; });
  }

 private:
  void work();
  bool is_full() const;
  bool is_idle() const { return queue_.empty() && !is_busy_ && !has_begun_; }

  const Steps steps_;
  const QueueLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<FrameJob>> queue_;
  int64_t bytes_ = 0;  // of the queue
  int waiting_ = 0;    // threads
  bool is_busy_ = false;
  bool has_begun_ = false;  // frames that may not be done
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace vq::libvmaf
