// Samples that a video of its depth cannot have.
#pragma once

#include "core/frame.h"

namespace vq {

// For features whose sums have room for the depth's range and no more. Throws Error{kMismatch} that names video and frame and
// the first luma sample above the depth's maximum.
void require_luma_in_range(const Frame& frame, const VideoFormat& video);

}  // namespace vq
