// What containers promise and libavformat keeps to itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/decoding/byte_source.h"

namespace vq::cli {

// How many bytes the file has at least, from what it starts with: Matroska and WebM give the size of all, MXF
// gives the place of its footer. Nothing for others, and where the writer could not go back to fill that in.
std::optional<int64_t> declared_bytes(std::string_view start);

// Where the pictures of an mp4 end, going by the sizes of its boxes: beyond the end of the file where it was
// cut in them. Nothing for files that are not made of boxes to their end. Needs: the reader has a size.
// Throws ReadError.
std::optional<int64_t> end_of_media(ByteReader& reader);

// The duration in the header of an ASF file, in seconds; nothing for others. (libavformat passes over it
// where the file is shorter than declared.)
std::optional<double> asf_seconds(std::string_view start);

}  // namespace vq::cli
