// Items of several members that belong together by a number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace vq {

// Collects the items of a number until every member has come to it, with an item or without. Nobody waits in
// here: whoever completes a number takes its items, and so does whoever no longer wants to wait for the
// others. Each item is taken once. May be used from any thread.
template <typename Item>
class Rendezvous {
 public:
  using Batch = std::vector<Item>;  // of one number, in the order in which they came

  // A new member, that has not come to any number. Returns its place.
  size_t join() {
    const std::lock_guard lock(mutex_);
    positions_.push_back(kNowhere);
    return positions_.size() - 1;
  }
  // The member comes to a number, later than those before, with an item. Returns what is complete now.
  std::vector<Batch> bring(size_t member, int64_t number, Item item) {
    const std::lock_guard lock(mutex_);
    waiting_[number].push_back(std::move(item));
    positions_[member] = number;
    return complete();
  }
  // The same without an item.
  std::vector<Batch> pass(size_t member, int64_t number) {
    const std::lock_guard lock(mutex_);
    positions_[member] = number;
    return complete();
  }
  // The member has no more items, so that nobody waits for it. It may bring others after all.
  std::vector<Batch> leave(size_t member) { return pass(member, kLeft); }
  // The items of a number that have come; nothing if they have been taken.
  std::optional<Batch> take(int64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(number);
    if (found == waiting_.end()) return std::nullopt;
    std::optional<Batch> batch = std::move(found->second);
    waiting_.erase(found);
    return batch;
  }

 private:
  static constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kLeft = std::numeric_limits<int64_t>::max();

  // Needs: the lock.
  std::vector<Batch> complete() {
    const int64_t slowest = *std::min_element(positions_.begin(), positions_.end());
    std::vector<Batch> batches;
    while (!waiting_.empty() && waiting_.begin()->first <= slowest) {
      batches.push_back(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
    return batches;
  }

  std::mutex mutex_;
  std::vector<int64_t> positions_;  // to which each member has come
  std::map<int64_t, Batch> waiting_;
};

}  // namespace vq
