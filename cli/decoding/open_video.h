// Opening of videos with the appropriate reader.
#pragma once

#include <memory>

#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Opens a video and reads its format. Throws Error: kInput if it cannot be opened or decoded or has no
// picture, kMismatch if it has no luma plane or a side over 16384, kUsage if the options contradict it.
std::unique_ptr<VideoSource> open_video(const SourceOptions& options);

// The same for bytes from another source; `options.path` then only names them in messages.
std::unique_ptr<VideoSource> open_video(const SourceOptions& options, std::unique_ptr<ByteSource> bytes);

}  // namespace vq::cli
