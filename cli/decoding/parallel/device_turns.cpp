#include "cli/decoding/parallel/device_turns.h"

#include <algorithm>

namespace vq::cli {

namespace {

// At each end of a turn the next device needs frames of the one before.
constexpr int64_t kShortestTurn = 48;

}  // namespace

void DeviceTurns::expect(int64_t length) {
  const std::lock_guard lock(mutex_);
  longest_ = std::max(longest_, length);
}

int DeviceTurns::device_for(int64_t first, int64_t length) {
  const std::lock_guard lock(mutex_);
  longest_ = std::max(longest_, length);
  const int64_t turn = longest_ * std::max<int64_t>(1, (kShortestTurn + longest_ - 1) / longest_);
  // Segments of two videos need not begin together.
  const int64_t middle = first + length / 2;
  while (middle >= starts_.back() + turn) starts_.push_back(starts_.back() + turn);
  const auto next = std::upper_bound(starts_.begin() + 1, starts_.end(), middle);
  return static_cast<int>((next - starts_.begin() - 1) % devices_);
}

}  // namespace vq::cli
