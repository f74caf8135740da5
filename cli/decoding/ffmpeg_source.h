// Video in any container and codec that FFmpeg reads.
#pragma once

#include <memory>

#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Throws as open_video(). Bytes that cannot seek are decoded on one thread, since a damaged stream must be
// decoded again from its start: see FfmpegPictures.
std::unique_ptr<VideoSource> open_ffmpeg(const SourceOptions& options, ByteReader reader);

}  // namespace vq::cli
