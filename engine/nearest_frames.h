// Pairing by time: for each time of one video, the frame of another that is nearest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "core/frame.h"

namespace vq {

// Differences of times below this are taken for rounding to a container's clock, in seconds.
inline constexpr double kClockTie = 0.001;

class NearestFrames {
 public:
  // A frame with its time in seconds, as this compares it.
  struct TimedFrame {
    Frame frame;
    double time = 0;
  };
  // The next frame of the video; times ascend. Nothing at its end.
  using Next = std::function<std::optional<TimedFrame>()>;

  // The last frame is shown as long as the step before it, or `frame_seconds` if that is longer.
  NearestFrames(Next next, double frame_seconds) : next_(std::move(next)), frame_seconds_(frame_seconds) {}

  // The frame nearest to `time`, of two equally near the earlier one. Null if the video ends before: its last
  // frame is over. Valid until the next call. Needs: times that ascend. Throws what `next` throws.
  const Frame* at(double time);
  // Whether it shows a frame at that time or later that was not nearest yet. Needs: as at().
  bool goes_on_at(double time);

  int64_t repeated() const { return repeated_; }  // number of results that were also the one before
  // Number of frames before the latest one read that were never nearest.
  int64_t unused() const { return unused_ + (earlier_ && !earlier_is_used_ ? 1 : 0); }

 private:
  void read();
  void move_on();

  const Next next_;
  const double frame_seconds_;
  double step_ = 0;  // between the last two frames
  std::optional<TimedFrame> earlier_, later_;
  bool earlier_is_used_ = false, later_is_used_ = false, has_ended_ = false;
  int64_t repeated_ = 0, unused_ = 0;
};

}  // namespace vq
