// Frames in flight: begun in order, scored in any order, delivered in order.
#pragma once

#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/frame.h"
#include "core/scores.h"

namespace vq {

// One frame on its way.
struct FrameJob {
  // Once scored, a frame's samples are needed no more.
  void release_frames();

  FramePair frames;
  bool repeats = false;  // the pictures of the frame before: nothing is to be done, and nothing below is set
  std::vector<FrameResult> results;
  std::future<void> begun;  // where a device takes part: that it has its work; ends as `done`
  std::future<void> done;   // ends with the frame's Error where it cannot be scored
};

class OrderedFrames {
 public:
  // A frame repeats the one before where all that `use` says does: see Frame::repeated_planes. One that is
  // reported repeats none that is not. Where somebody looks at frames before, these must repeat as well.
  explicit OrderedFrames(const FrameNeeds& use) : use_(use) {}
  ~OrderedFrames();  // waits for the tasks that still use a job
  OrderedFrames(const OrderedFrames&) = delete;
  OrderedFrames& operator=(const OrderedFrames&) = delete;

  size_t size() const { return jobs_.size(); }
  // The reference stays valid until the job is delivered. What the first frame says of the one before is not
  // believed: that was scored by somebody else, if at all.
  FrameJob& add(const FramePair& frames);
  FrameJob& first() { return *jobs_.front(); }
  // Whether deliver_first() would not wait.
  bool first_is_done() const;
  // Waits for the first job's `done`, which must be valid unless it repeats, hands its results to the sink
  // and drops it. Throws what `done` ended with.
  void deliver_first(ScoreSink& sink);
  int64_t repeated_frames() const { return repeated_frames_; }  // of those that are reported

 private:
  bool is_same_as_last(const FramePair& frames) const;
  bool repeats_last(const FramePair& frames);

  const FrameNeeds use_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;
  std::optional<bool> last_was_reported_;  // then all features scored it; nothing before the first frame
  int equal_before_ = 0;  // frames in a row, up to the last, whose pictures are those of the frame before
  int64_t repeated_frames_ = 0;
  std::vector<FrameResult> delivered_;  // of the frame delivered last, for those that repeat it
};

// The error of a frame of the named video.
Error at_frame(const Error& error, const std::string& video, int64_t frame);

}  // namespace vq
