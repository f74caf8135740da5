#include "engine/nearest_frames.h"

#include <algorithm>
#include <utility>

namespace vq {

void NearestFrames::read() {
  later_ = next_();
  later_is_used_ = false;
  has_ended_ = !later_;
  if (later_ && earlier_) step_ = later_->time - earlier_->time;
}

// The later of the two becomes the earlier.
void NearestFrames::move_on() {
  if (earlier_ && !earlier_is_used_) ++unused_;
  earlier_ = std::exchange(later_, std::nullopt);
  earlier_is_used_ = std::exchange(later_is_used_, false);
}

const Frame* NearestFrames::at(double time) {
  while (!has_ended_ && (!later_ || later_->time < time)) {
    if (later_) move_on();
    read();
  }
  if (!earlier_ && !later_) return nullptr;
  // Once the video has ended, its last frame is the earlier one.
  const double shown = std::max({step_, frame_seconds_, kClockTie});
  if (!later_ && time >= earlier_->time + shown - kClockTie) return nullptr;
  const bool is_later = !earlier_ || (later_ && later_->time - time < time - earlier_->time - kClockTie);
  bool& is_used = is_later ? later_is_used_ : earlier_is_used_;
  repeated_ += is_used ? 1 : 0;
  is_used = true;
  return is_later ? &later_->frame : &earlier_->frame;
}

bool NearestFrames::goes_on_at(double time) {
  while (!has_ended_ && (!later_ || later_->time < time - kClockTie)) {
    if (later_) move_on();
    read();
  }
  return later_ && !later_is_used_ && later_->time >= time - kClockTie;
}

}  // namespace vq
