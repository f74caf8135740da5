// Samples that a video of its depth cannot have.
#pragma once

#include <initializer_list>

#include "core/frame.h"

namespace vq {

// For features whose sums have room for the depth's range and no more. Throws Error{kMismatch} that names
// video and frame and the first luma sample above the depth's maximum.
void require_luma_in_range(const Frame& frame, const VideoFormat& video);

// A frame and the video it is of.
struct VideoFrame {
  const Frame& frame;
  const VideoFormat& video;
};
// The same for frames among which a device has found such a sample, in the order in which they are looked at;
// they may lie where the host does not see them. Throws Error{kBackend} that names video and frame where
// there is none.
[[noreturn]] void refuse_luma(std::initializer_list<VideoFrame> frames);

}  // namespace vq
