#include "cli/batch/thread_shares.h"

#include <algorithm>
#include <chrono>

namespace vq::cli {

int useful_threads(int64_t pixels) {
  constexpr int64_t kSmall = 1 << 20;  // up to 1280x720
  if (pixels <= kSmall) return 1;
  if (pixels <= 5 * kSmall / 2) return 2;  // up to 1920x1080
  return pixels <= 9 * kSmall ? 4 : 8;     // up to 4096x2160
}

int ThreadShares::take(int wanted) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  wanted = std::clamp(wanted, 1, total_);
  std::unique_lock lock(mutex_);
  const int64_t ticket = next_ticket_++;
  while (!(ticket == served_ && free_ >= wanted) && !stop_.is_requested()) changed_.wait_for(lock, kPoll);
  served_ = std::max(served_, ticket + 1);
  const int taken = std::min(wanted, free_);
  free_ -= taken;
  changed_.notify_all();
  return taken;
}

void ThreadShares::give_back(int threads) {
  const std::lock_guard lock(mutex_);
  free_ += threads;
  changed_.notify_all();
}

}  // namespace vq::cli
