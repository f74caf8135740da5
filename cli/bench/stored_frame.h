// Frames in memory that a device fetches from by itself.
#pragma once

#include "core/frame_place.h"

namespace vq::cli {

// The same frame in a piece of the store, as decoders leave it there; as it is where the store has no more to
// give, or the frame has a place already.
Frame stored_frame(const Frame& frame, FrameStore& store);

}  // namespace vq::cli
