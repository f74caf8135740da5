// Uncompressed video: YUV4MPEG2 and raw planar files. Read by this program's own code, since libavformat
// takes a y4m file that is cut in a picture for a whole one.
#pragma once

#include <memory>

#include "cli/decoding/byte_source.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// True where the bytes ahead are those of a YUV4MPEG2 stream.
bool is_y4m(ByteReader& reader);

// Both throw as open_video(). For a raw regular file its length must be a whole number of pictures.
std::unique_ptr<VideoSource> open_y4m(const SourceOptions& options, ByteReader reader);
std::unique_ptr<VideoSource> open_raw(const SourceOptions& options, ByteReader reader);

}  // namespace vq::cli
