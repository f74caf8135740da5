// Checks for samples above the maximum of the bit depth.
#pragma once

#include <initializer_list>

#include "core/frame.h"

namespace vq {

// For features whose sums have room only for the depth's range. Throws Error{kMismatch} that names the video,
// the frame and the first luma sample above the depth's maximum.
void require_luma_in_range(const Frame& frame, const VideoFormat& video);

// A frame and its video's format.
struct VideoFrame {
  const Frame& frame;
  const VideoFormat& video;
};
// Reports such a sample that a device has found in one of the frames, which are searched in this order; their
// samples need not be on the host. Throws Error{kMismatch} as above, or Error{kBackend} that names video and
// frame if none is found.
[[noreturn]] void refuse_luma(std::initializer_list<VideoFrame> frames);

}  // namespace vq
