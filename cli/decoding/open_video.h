// Opens a video with the reader that it needs.
#pragma once

#include <memory>

#include "cli/decoding/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Opens a video and reads as far as its format. Throws Error: kInput where it cannot be opened or decoded or
// has no picture, kMismatch where it has no luma plane or a side over 16384, kUsage where the options
// contradict it.
std::unique_ptr<VideoSource> open_video(const SourceOptions& options);

// The same for bytes that come from elsewhere; `options.path` then only names them in messages.
std::unique_ptr<VideoSource> open_video(const SourceOptions& options, std::unique_ptr<ByteSource> bytes);

}  // namespace vq::cli
