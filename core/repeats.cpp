#include "core/repeats.h"

#include "core/frame_memory.h"

namespace vq {
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
