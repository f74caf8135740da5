// The frames right before each frame of a run, for features that read them.
#pragma once

#include <deque>
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

}  // namespace vq
