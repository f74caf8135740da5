#include "tests/support/test_video.h"

namespace vq::cli::test {
namespace {

void append_sample(std::string& out, int value, const VideoShape& shape) {
  out += static_cast<char>(value & 0xFF);
  if (shape.bit_depth > 8) out += static_cast<char>(value >> 8);
}

// Slow bands that run across the picture, one step of the 8-bit scale apart.
int luma_of(const VideoShape& shape, int x, int y, int index) {
  const int level = 60 + (x + 3 * y / 2 + shape.phase + index) / 24 % 100;
  return level << (shape.bit_depth - 8);
}

size_t chroma_samples(const VideoShape& shape) {
  const size_t width = static_cast<size_t>(shape.width), height = static_cast<size_t>(shape.height);
  if (shape.chroma == "400") return 0;
  if (shape.chroma == "444") return 2 * width * height;
  return 2 * ((width + 1) / 2) * (shape.chroma == "422" ? height : (height + 1) / 2);
}

}  // namespace

std::string frame_bytes(const VideoShape& shape, int index) {
  std::string out;
  out.reserve(frame_size(shape));
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) append_sample(out, luma_of(shape, x, y, index), shape);
  }
  for (size_t i = 0; i < chroma_samples(shape); ++i) append_sample(out, 128 << (shape.bit_depth - 8), shape);
  return out;
}

size_t frame_size(const VideoShape& shape) {
  const size_t luma = static_cast<size_t>(shape.width) * static_cast<size_t>(shape.height);
  return (luma + chroma_samples(shape)) * (shape.bit_depth > 8 ? 2 : 1);
}

std::string raw_video(const VideoShape& shape) {
  std::string out;
  for (int i = 0; i < shape.frames; ++i) out += frame_bytes(shape, i);
  return out;
}

std::string y4m_header(const VideoShape& shape) {
  const bool mono = shape.chroma == "400";
  const std::string depth = shape.bit_depth == 8 ? "" : (mono ? "" : "p") + std::to_string(shape.bit_depth);
  return "YUV4MPEG2 W" + std::to_string(shape.width) + " H" + std::to_string(shape.height) +
         " F24:1 Ip A1:1 C" + (mono ? "mono" : shape.chroma) + depth + "\n";
}

std::string y4m_video(const VideoShape& shape) {
  std::string out = y4m_header(shape);
  for (int i = 0; i < shape.frames; ++i) out.append("FRAME\n").append(frame_bytes(shape, i));
  return out;
}

}  // namespace vq::cli::test
