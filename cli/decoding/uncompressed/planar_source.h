// Uncompressed video: YUV4MPEG2 and raw planar files. Read by our own code, since libavformat accepts a y4m
// file that is truncated within a picture.
#pragma once

#include <memory>

#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Whether the next bytes are a YUV4MPEG2 stream.
bool is_y4m(ByteReader& reader);

// Both throw as open_video(). The length of a raw regular file must be a whole number of pictures.
std::unique_ptr<VideoSource> open_y4m(const SourceOptions& options, ByteReader reader);
std::unique_ptr<VideoSource> open_raw(const SourceOptions& options, ByteReader reader);

}  // namespace vq::cli
