// Time that the stages of frames take on the host.
#pragma once

#include <chrono>

#include "core/trace.h"
#include "feature/feature.h"

namespace vq {

// Activities of the thread that pushes frames, of which one runs at a time.
namespace pace {
inline constexpr std::string_view kOpening = "opening",  // videos, devices and extractors
    kDecoding = "decoding",                              // waiting for a frame
    kPreparing = "preparing",                            // fitting, cropping and comparing pictures
    kSubmitting = "submitting",                          // passing pictures to the device or to threads
    kScoring = "scoring",                                // waiting for results
    kReporting = "reporting";  // predicting models' scores, drawing pictures and writing
inline constexpr std::array kParts = {kOpening, kDecoding, kPreparing, kSubmitting, kScoring, kReporting};
}  // namespace pace

// Sums times for one thread.
class StageClock {
 public:
  using Now = std::chrono::steady_clock::time_point (*)();
  explicit StageClock(Now now = std::chrono::steady_clock::now) : now_(now) {}
  // Needs, as switch_to(): a name that outlives the clock.
  explicit StageClock(std::string_view first, Now now = std::chrono::steady_clock::now) : now_(now) {
    switch_to(first);
  }

  // Time now counts for `stage` (empty: for none). Returns the previous stage.
  std::string_view switch_to(std::string_view stage) {
    const auto now = now_();
    if (!running_.empty())
      add_stage_time(totals_, running_, std::chrono::duration<double, std::milli>(now - since_).count());
    since_ = now;
    return std::exchange(running_, stage);
  }
  // Sums so far, without the running stage.
  const std::vector<StageTotal>& totals() const { return totals_; }
  // The same, and resets them.
  std::vector<StageTotal> take() { return std::exchange(totals_, {}); }

 private:
  const Now now_;
  std::string_view running_;
  std::chrono::steady_clock::time_point since_;
  std::vector<StageTotal> totals_;
};

// Counts the time to the end of the block for a stage, except for what is measured within the block. Needs: a
// name that outlives the clock.
class StageTimer {
 public:
  StageTimer(StageClock* clock, std::string_view stage)
      : span_(stage), clock_(clock) {  // null: nothing is measured
    if (clock_ != nullptr) before_ = clock_->switch_to(stage);
  }
  ~StageTimer() {
    if (clock_ != nullptr) clock_->switch_to(before_);
  }
  StageTimer& operator=(StageTimer&&) = delete;

 private:
  const TraceSpan span_;
  StageClock* const clock_;
  std::string_view before_;
};

// Sums the time that threads spend in stages, if enabled.
class StageTimes {
 public:
  explicit StageTimes(bool are_wanted) : are_wanted_(are_wanted) {}

  // The clock of a thread, whose sums are added at its end.
  class ThreadClock {
   public:
    explicit ThreadClock(StageTimes& times) : times_(times) {}
    ~ThreadClock() {
      if (clock_.totals().empty()) return;
      const std::lock_guard lock(times_.mutex_);
      for (const StageTotal& total : clock_.totals()) add_stage_time(times_.totals_, total.stage, total.ms);
    }
    ThreadClock& operator=(ThreadClock&&) = delete;
    // Null if times are not wanted.
    StageClock* get() { return times_.are_wanted_ ? &clock_ : nullptr; }

   private:
    StageTimes& times_;
    StageClock clock_;
  };
  // Runs `work` as part of the stage and returns its result.
  template <typename Work>
  auto time(std::string_view stage, const Work& work) {
    ThreadClock clock(*this);
    const StageTimer timer(clock.get(), stage);
    return work();
  }
  // Totals of all finished work.
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
