// The text headers of YUV4MPEG2 and the layout of uncompressed planar pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/frame.h"

namespace vq::cli {

// One uncompressed picture: its planes, followed by an optional alpha plane of the luma's size.
struct PlanarLayout {
  int width = 0;
  int height = 0;
  int bit_depth = 8;  // more than 8: 16-bit little endian
  Chroma chroma = Chroma::k420;
  bool has_alpha = false;

  PlaneSize size(int plane) const { return plane_size({width, height}, chroma, plane); }
  int64_t frame_bytes() const;
};

struct Y4mHeader {
  PlanarLayout layout;
  std::string pixel_format;  // FFmpeg's name
  Range range = Range::kUnspecified;
  bool interlaced = false;
  int frame_rate_num = 0, frame_rate_den = 1;  // 0/1 where unknown
  double sample_aspect = 0;                    // see VideoInfo
  std::vector<std::string> unknown;            // ignored parameters
};

inline constexpr std::string_view kY4mMagic = "YUV4MPEG2";
// Longest header line, in bytes without its newline.
inline constexpr size_t kMaxY4mLine = 4096;

// FFmpeg's name of a planar format, for example "yuv420p10le", "yuva444p" or "gray".
std::string planar_pixel_format(const PlanarLayout& layout);

// Parses the first line, without its newline. Throws Error without a file name: kInput for a line that is not
// such a header, kMismatch for a side that is not 1..kMaxSide.
Y4mHeader parse_y4m_header(std::string_view line);

// Throws Error{kMismatch} unless 1 <= value <= kMaxSide.
void check_side(std::string_view name, std::string_view text, long long value);

}  // namespace vq::cli
