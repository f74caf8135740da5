// The frames right before each frame of a run, for features that look at neighbours.
#pragma once

#include <deque>
#include <vector>

#include "core/frame.h"

namespace vq {

class PreviousFrames {
 public:
  explicit PreviousFrames(const NeighbourCount& count) : count_(count) {}

  // Gives the pair the frames that were given before, the latest first, and keeps its own for those that
  // follow.
  void give(FramePair& pair);

 private:
  const NeighbourCount count_;
  std::deque<Frame> distorted_, references_;  // the latest first
};

}  // namespace vq
