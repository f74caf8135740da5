// Declarations of containers that libavformat does not expose.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/decoding/byte_source.h"

namespace vq::cli {

// Minimum size of the file, from its first bytes: Matroska and WebM declare the total size, MXF the position
// of its footer. Nothing for other formats, or if the writer could not go back to fill it in.
std::optional<int64_t> declared_bytes(std::string_view start);

// Layout of an mp4 file according to its boxes.
struct MediaBoxes {
  int64_t end = 0;                     // end of the pictures; beyond the end of a truncated file
  std::optional<int64_t> second = {};  // start of a second video, which players ignore
};
// Nothing for files that do not consist of boxes up to their end. Needs: the reader has a size. Throws
// ReadError.
std::optional<MediaBoxes> media_boxes(ByteReader& reader);

// The duration in the header of an ASF file, in seconds; nothing for others. (libavformat ignores it if the
// file is shorter than declared.)
std::optional<double> asf_seconds(std::string_view start);

}  // namespace vq::cli
