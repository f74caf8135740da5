// What containers declaration and libavformat keeps to itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/decoding/byte_source.h"

namespace vq::cli {

// How many bytes the file has at least, from what it starts with: Matroska and WebM give the size of all, MXF
// gives the place of its footer. Nothing for others, and where the writer could not go back to fill that in.
std::optional<int64_t> declared_bytes(std::string_view start);

// Of an mp4, by the sizes of its boxes.
struct MediaBoxes {
  int64_t end = 0;                     // of its pictures: beyond the end of the file where it was cut in them
  std::optional<int64_t> second = {};  // where another video begins, which players do not look for
};
// Nothing for files that are not made of boxes to their end. Needs: the reader has a size. Throws ReadError.
std::optional<MediaBoxes> media_boxes(ByteReader& reader);

// The duration in the header of an ASF file, in seconds; nothing for others. (libavformat passes over it
// where the file is shorter than declared.)
std::optional<double> asf_seconds(std::string_view start);

}  // namespace vq::cli
