// The frames right before each frame of a run, for features that read them.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/frame.h"

namespace vq {

class PreviousFrames {
 public:
  explicit PreviousFrames(const NeighbourCount& count) : count_(count) {}

  // Adds the frames of earlier calls to the pair, the latest first, and keeps the pair's own for later calls.
  void give(FramePair& pair);

 private:
  const NeighbourCount count_;
  std::deque<Frame> distorted_, references_;  // the latest first
};

// Detection of pictures that are identical to the previous one, so that nothing is computed twice.

class RepeatFinder {
 public:
  // Compares a video's frame with the previous one, sample by sample up to the first plane that differs, and
  // sets its repeated_planes. Keeps a copy of the frame, not of its samples.
  void mark(Frame& frame);

 private:
  std::optional<Frame> last_;
};

}  // namespace vq
