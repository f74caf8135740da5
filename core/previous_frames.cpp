#include "core/previous_frames.h"

namespace vq {
namespace {

void keep(std::deque<Frame>& last, const Frame& frame, int count) {
  if (count == 0) return;
  last.push_front(frame);
  if (last.size() > static_cast<size_t>(count)) last.pop_back();
}

}  // namespace

void PreviousFrames::give(FramePair& pair) {
  pair.distorted_before.assign(distorted_.begin(), distorted_.end());
  pair.references_before.assign(references_.begin(), references_.end());
  keep(distorted_, pair.distorted, count_.distorted);
  if (pair.reference) keep(references_, *pair.reference, count_.references);
}

}  // namespace vq
