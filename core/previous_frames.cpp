#include "core/previous_frames.h"

#include "core/frame.h"

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

namespace {

bool same_plane(const SampleView& a, const SampleView& b) {
  if (a.is_u8() != b.is_u8() || a.width() != b.width() || a.height() != b.height()) return false;
  return a.is_u8() ? same_samples(a.u8, b.u8) : same_samples(a.u16, b.u16);
}

// Fetching samples from where the host cannot see them takes longer than scoring them there.
int repeated_planes(const Frame& frame, const Frame& last) {
  if (!is_on_host(frame) || !is_on_host(last)) return 0;
  int planes = 0;
  while (planes < kMaxPlanes &&
         same_plane(frame.planes[static_cast<size_t>(planes)], last.planes[static_cast<size_t>(planes)])) {
    ++planes;
  }
  return planes;
}

}  // namespace

// Of equal frames the first is kept, so that the buffers of the others go back to the decoder.
void RepeatFinder::mark(Frame& frame) {
  frame.repeated_planes = last_ ? repeated_planes(frame, *last_) : 0;
  if (frame.repeated_planes < kMaxPlanes) last_ = frame;
}

}  // namespace vq
