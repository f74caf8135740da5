// The summary of damaged frames at the end of a video.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vq::cli {

// Numbers of damaged frames as ranges, in bounded memory.
class DamageList {
 public:
  void add(int64_t index, const std::string& reason) {
    if (count_ == 0) first_reason_ = reason;
    ++count_;
    if (!runs_.empty() && runs_.back().second + 1 == index) {
      ++runs_.back().second;
    } else if (runs_.size() < kMaxListedRuns) {
      runs_.emplace_back(index, index);
    } else {
      more_ = true;
    }
  }

  int64_t count() const { return count_; }
  // Both need count() > 0.
  int64_t first() const { return runs_.front().first; }
  const std::string& first_reason() const { return first_reason_; }
  // "1, 4-6, 9", cut after a number of runs.
  std::string text() const {
    std::string list;
    for (const auto& [from, to] : runs_) {
      if (!list.empty()) list.append(", ");
      list.append(std::to_string(from));
      if (to > from) list.append("-").append(std::to_string(to));
    }
    return more_ ? list.append(", ...") : list;
  }

 private:
  static constexpr size_t kMaxListedRuns = 20;

  int64_t count_ = 0;
  bool more_ = false;
  std::string first_reason_;
  std::vector<std::pair<int64_t, int64_t>> runs_;
};

}  // namespace vq::cli
