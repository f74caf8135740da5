// Frames in flight: started in order, scored in any order, delivered in order.
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

// One frame in flight.
struct FrameJob {
  // Releases the samples, which are not needed once the frame is scored. Keeps the loss of some.
  void release_frames();

  FramePair frames;
  bool repeats = false;  // identical to the previous frame: not computed, and nothing below is set
  std::vector<FrameResult> results;
  std::future<void> begun;  // with a device: ready when the device has its work; fails as `done`
  std::shared_ptr<const SampleLoss> loss;  // null: the frame was scored from what was read
  std::future<void> done;                  // fails with the frame's Error if it cannot be scored
};

class OrderedFrames {
 public:
  // A frame repeats the previous one if all planes that `use` names do: see Frame::repeated_planes. A
  // reported frame never repeats an unreported one. If features read previous frames, these must be repeats
  // as well.
  explicit OrderedFrames(const FrameNeeds& use) : use_(use) {}
  ~OrderedFrames();  // waits for tasks that still use a job
  OrderedFrames(const OrderedFrames&) = delete;
  OrderedFrames& operator=(const OrderedFrames&) = delete;

  size_t size() const { return jobs_.size(); }
  // The reference stays valid until the job is delivered. The first frame's repeated_planes is ignored, since
  // its predecessor was not scored here.
  FrameJob& add(const FramePair& frames);
  FrameJob& first() { return *jobs_.front(); }
  FrameJob& job(size_t i) { return *jobs_[i]; }  // the first is 0
  // Whether deliver_first() would return without waiting.
  bool first_is_done() const;
  // Waits for the first job's `done`, which must be valid unless the job repeats, passes its results to the
  // sink and removes it. Throws the error of `done`, and Error{kIncomplete} where samples were lost.
  void deliver_first(ScoreSink& sink);
  int64_t repeated_frames() const { return repeated_frames_; }  // number of reported ones

 private:
  bool is_same_as_last(const FramePair& frames) const;
  bool repeats_last(const FramePair& frames);

  const FrameNeeds use_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;
  std::optional<bool> last_was_reported_;  // true: all features scored it; absent before the first frame
  // number of consecutive frames, up to the last, that are identical to their predecessors
  int equal_before_ = 0;
  int64_t repeated_frames_ = 0;
  std::vector<FrameResult> delivered_;  // results of the last delivered frame, for frames that repeat it
};

// The error with the video's name and the frame number added.
Error at_frame(const Error& error, const std::string& video, int64_t frame);

}  // namespace vq
