#include "cli/decoding/damage/display_order.h"

#include <cstdlib>

namespace vq::cli {
namespace {

// From this distance on it may be rounded to the clock: 60 pictures a second are 16 or 17 ms apart.
constexpr int64_t kRoundedFrom = 4;
// No stream holds back more pictures.
constexpr int64_t kMostMissing = 16;

}  // namespace

bool DisplayOrder::fits(int64_t distance, int64_t steps) const {
  return std::abs(distance - steps * step_) <= (step_ >= kRoundedFrom ? steps : 0);
}

void DisplayOrder::add(std::optional<int64_t> time) {
  irregular_ = irregular_ || !time;
  if (last_ && time && *time > *last_) {
    const int64_t distance = *time - *last_;
    if (step_ == 0) step_ = distance;
    irregular_ = irregular_ || !fits(distance, 1);
    ++steps_;
  }
  last_ = time;
}

void DisplayOrder::assume_step(int64_t step) {
  if (irregular_ || steps_ >= kEnoughSteps) return;
  if (step_ != 0 && !fits(step, 1)) return;
  step_ = step;
  steps_ = kEnoughSteps;
}

std::optional<int64_t> DisplayOrder::add_after_gap(std::optional<int64_t> time) {
  if (is_regular() && last_ && time && *time > *last_) {
    const int64_t distance = *time - *last_;
    const int64_t steps = (distance + step_ / 2) / step_;
    if (steps >= 1 && steps <= kMostMissing && fits(distance, steps)) {
      last_ = time;
      return steps - 1;
    }
  }
  add(time);
  return std::nullopt;
}

}  // namespace vq::cli
