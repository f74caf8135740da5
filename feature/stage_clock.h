// How long the stages of frames take on the host.
#pragma once

#include <array>
#include <chrono>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "feature/feature.h"

namespace vq {

// What the thread that hands frames over does, one thing after another.
namespace pace {
inline constexpr std::string_view kOpening = "opening",  // videos, devices and what computes
    kDecoding = "decoding",                              // waiting for a frame
    kPreparing = "preparing",                            // fitting, cropping and comparing pictures
    kSubmitting = "submitting",                          // handing pictures to the device or to threads
    kScoring = "scoring",                                // waiting for what these compute
    kReporting = "reporting";                            // making models' scores, pictures and words of it
inline constexpr std::array kParts = {kOpening, kDecoding, kPreparing, kSubmitting, kScoring, kReporting};
}  // namespace pace

// Adds times up, for one thread at a time.
class StageClock {
 public:
  using Now = std::chrono::steady_clock::time_point (*)();
  explicit StageClock(Now now = std::chrono::steady_clock::now) : now_(now) {}
  // Needs, as switch_to(): a name that outlives the clock.
  explicit StageClock(std::string_view first, Now now = std::chrono::steady_clock::now) : now_(now) {
    switch_to(first);
  }

  // From here on time is that of `stage`; switch_to() of the result goes back. Empty: of none.
  std::string_view switch_to(std::string_view stage) {
    const auto now = now_();
    if (!running_.empty())
      add_stage_time(totals_, running_, std::chrono::duration<double, std::milli>(now - since_).count());
    since_ = now;
    return std::exchange(running_, stage);
  }
  // What was added up so far, without what is running.
  const std::vector<StageTotal>& totals() const { return totals_; }
  // The same, which begins anew.
  std::vector<StageTotal> take() { return std::exchange(totals_, {}); }

 private:
  const Now now_;
  std::string_view running_;
  std::chrono::steady_clock::time_point since_;
  std::vector<StageTotal> totals_;
};

// Time from here to the end of the block is that of a stage, but for what is timed within it. Needs: a name
// that outlives the clock.
class StageTimer {
 public:
  StageTimer(StageClock* clock, std::string_view stage) : clock_(clock) {  // null: nobody wants to know
    if (clock_ != nullptr) before_ = clock_->switch_to(stage);
  }
  ~StageTimer() {
    if (clock_ != nullptr) clock_->switch_to(before_);
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  StageClock* const clock_;
  std::string_view before_;
};

// Adds up what threads take for stages, where somebody wants to know that.
class StageTimes {
 public:
  explicit StageTimes(bool are_wanted) : are_wanted_(are_wanted) {}

  // Returns what `work` returns, which is of that stage.
  template <typename Work>
  auto time(std::string_view stage, const Work& work) {
    if (!are_wanted_) return work();
    StageClock clock;
    clock.switch_to(stage);
    auto result = work();
    clock.switch_to({});
    const std::lock_guard lock(mutex_);
    for (const StageTotal& total : clock.take()) add_stage_time(totals_, total.stage, total.ms);
    return result;
  }
  // Of all that has ended.
  std::vector<StageTotal> totals() const {
    const std::lock_guard lock(mutex_);
    return totals_;
  }

 private:
  const bool are_wanted_;
  mutable std::mutex mutex_;
  std::vector<StageTotal> totals_;
};

}  // namespace vq
