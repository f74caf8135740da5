// Pictures for calls of the C library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "include/cambi/cambi.h"

namespace vq::test {

struct PictureShape {
  int width = 320, height = 240, bit_depth = 8;
  CambiChroma chroma = CAMBI_420;
};

inline constexpr PictureShape kShape = {};

inline int chroma_width(const PictureShape& shape) {
  const bool is_halved = shape.chroma == CAMBI_420 || shape.chroma == CAMBI_422;
  return is_halved ? (shape.width + 1) / 2 : shape.width;
}
inline int chroma_height(const PictureShape& shape) {
  const bool is_halved = shape.chroma == CAMBI_420 || shape.chroma == CAMBI_440;
  return is_halved ? (shape.height + 1) / 2 : shape.height;
}

// Bands under a little noise that moves from frame to frame. The samples lie in `samples`, without padding.
class TestPicture {
 public:
  TestPicture(const PictureShape& shape, int frame, int noise, uint32_t seed = 1) : shape_(shape) {
    std::mt19937 random(seed * 1000 + static_cast<uint32_t>(frame));
    const int planes = shape.chroma == CAMBI_400 ? 1 : 3;
    const int top = (1 << shape.bit_depth) - 1;
    for (int p = 0; p < planes; ++p) {
      const int width = p == 0 ? shape.width : chroma_width(shape),
                height = p == 0 ? shape.height : chroma_height(shape);
      offsets_[p] = samples_.size();
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const int level = (x / 16 + y / 8 + frame * (p + 1)) % 100 + 60;
          const int shaken = level + static_cast<int>(random() % static_cast<uint32_t>(noise + 1));
          put(std::min(top, shaken << (shape.bit_depth - 8)));
        }
      }
    }
  }

  // Views that the library copies from, as there is no release function.
  CambiPicture picture() const {
    CambiPicture picture = {};
    picture.size = sizeof picture;
    picture.width = shape_.width;
    picture.height = shape_.height;
    picture.bit_depth = shape_.bit_depth;
    picture.chroma = shape_.chroma;
    for (int p = 0; p < planes(); ++p) {
      picture.planes[p] = samples_.data() + offsets_[p];
      picture.strides[p] = row_bytes(p);
    }
    return picture;
  }

  int planes() const { return shape_.chroma == CAMBI_400 ? 1 : 3; }
  int rows(int plane) const { return plane == 0 ? shape_.height : chroma_height(shape_); }
  int row_bytes(int plane) const {
    return (plane == 0 ? shape_.width : chroma_width(shape_)) * (shape_.bit_depth > 8 ? 2 : 1);
  }
  const std::vector<uint8_t>& samples() const { return samples_; }

 private:
  void put(int sample) {
    samples_.push_back(static_cast<uint8_t>(sample & 0xFF));
    if (shape_.bit_depth > 8) samples_.push_back(static_cast<uint8_t>(sample >> 8));
  }

  PictureShape shape_;
  std::vector<uint8_t> samples_;
  size_t offsets_[3] = {};
};

}  // namespace vq::test
