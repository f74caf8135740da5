// Pictures in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plane.h"
#include "core/rectangle.h"

namespace vq::cli {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
};

// A W x H picture of red, green and blue bytes, rows without gaps.
class RgbImage {
 public:
  RgbImage() = default;
  RgbImage(int width, int height, Colour colour = {});

  int width() const { return width_; }
  int height() const { return height_; }
  const uint8_t* row(int y) const { return bytes_.data() + offset(y); }
  uint8_t* row(int y) { return bytes_.data() + offset(y); }
  // Pixels outside the picture are ignored.
  void set(int x, int y, Colour colour);
  Colour at(int x, int y) const;
  // Fills the part of `area` inside the picture.
  void fill(const Rectangle& area, Colour colour);

 private:
  size_t offset(int y) const { return static_cast<size_t>(y) * static_cast<size_t>(width_) * 3; }

  int width_ = 0, height_ = 0;
  std::vector<uint8_t> bytes_;
};

// Mixes `weight` (0..1) of `over` with the rest of `under`.
Colour blend(Colour under, Colour over, double weight);

}  // namespace vq::cli
