// A picture as it comes from a decoder.
#pragma once

#include <memory>

#include "cli/decoding/ffmpeg_ptr.h"
#include "core/frame_memory.h"

namespace vq::cli {

// What it says of the picture, and where the samples are: in `frame`, unless `place` has them where the host
// cannot see them. A place that is a HostVisibleMemory is the memory that `frame` refers to.
struct DecodedPicture {
  AvPtr<AVFrame> frame;
  std::shared_ptr<const FrameMemory> place = {};
};

}  // namespace vq::cli
