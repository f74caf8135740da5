// From FFmpeg's pictures to ours: the planes as decoded, and what the tags say. Nothing is converted or scaled.
#pragma once

#include <array>
#include <string>

#include "cli/decoding/ffmpeg_ptr.h"
#include "core/frame.h"

namespace vq::cli {

// Where the samples of one component of a pixel format are.
struct ComponentLayout {
  int plane = 0;
  int step_bytes = 1;    // from one sample to the next
  int offset_bytes = 0;  // of the first
  int shift = 0;         // unused bits below the sample in its word
  int word_bytes = 1;    // 1, 2 or 4
  bool big_endian = false;

  // The plane can be handed out as it is.
  bool direct() const;
};

struct PictureLayout {
  std::array<ComponentLayout, kMaxPlanes> components;  // as many as plane_count(chroma)
  int bit_depth = 8;
  Chroma chroma = Chroma::k420;
  bool full_range = false;  // said by the format itself (yuvj420p, ...)
};

// Throws Error{kMismatch}, without a file name, for formats that have no luma plane of 8 to 16 bits.
PictureLayout picture_layout(AVPixelFormat format);

// The first planes of a decoded picture, of which it takes possession. Index and timestamp are left alone.
// Needs: planes <= plane_count(layout.chroma).
Frame make_frame(AvPtr<AVFrame> picture, const PictureLayout& layout, int planes);

Range map_range(AVColorRange range);
Transfer map_transfer(AVColorTransferCharacteristic transfer);
Matrix map_matrix(AVColorSpace matrix);
std::string pixel_format_name(AVPixelFormat format);  // "none" where there is none

}  // namespace vq::cli
