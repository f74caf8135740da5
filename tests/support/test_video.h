// Small uncompressed videos that tests make: skies with banding, since those score.
#pragma once

#include <cstdint>
#include <string>

namespace vq::cli::test {

struct VideoShape {
  int width = 320;
  int height = 240;
  int frames = 2;
  int bit_depth = 8;           // more than 8: 16-bit little endian
  std::string chroma = "420";  // 400, 420, 422 or 444
  int phase = 0;               // of the bands of frame 0; frames differ by one
};

// The planes of one frame.
std::string frame_bytes(const VideoShape& shape, int index);
size_t frame_size(const VideoShape& shape);
// All frames, as raw video.
std::string raw_video(const VideoShape& shape);
std::string y4m_header(const VideoShape& shape);  // with its newline
std::string y4m_video(const VideoShape& shape);

}  // namespace vq::cli::test
