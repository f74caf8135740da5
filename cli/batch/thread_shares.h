// Runs at the same time that share the cores.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "core/stop_token.h"

namespace vq::cli {

// Threads that a video of this many pixels a frame keeps busy by itself: a small one has too little work for
// many, and several of them at a time are the better use.
int useful_threads(int64_t pixels);

class ThreadShares {
 public:
  // `stop` is asked while waiting.
  explicit ThreadShares(int threads, StopToken stop = {})
      : total_(threads < 1 ? 1 : threads), free_(total_), stop_(std::move(stop)) {}

  // Blocks until `wanted` threads, or all if it is more, are free; first come, first served. Returns the
  // number taken: fewer, or none, once it is stopped. Give back what was taken.
  int take(int wanted);
  void give_back(int threads);

 private:
  const int total_;
  int free_;
  const StopToken stop_;
  int64_t next_ticket_ = 0, served_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace vq::cli
