// A picture as returned by a decoder.
#pragma once

#include <memory>

#include "cli/decoding/ffmpeg_ptr.h"
#include "core/frame_memory.h"

namespace vq::cli {

// Properties of the picture, and its samples: in `frame`, unless `place` has them where the host cannot see
// them. If `place` is a HostVisibleMemory, `frame` refers to that memory.
struct DecodedPicture {
  AvPtr<AVFrame> frame;
  std::shared_ptr<const FrameMemory> place = {};
};

}  // namespace vq::cli
