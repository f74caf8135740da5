// Pictures in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/frame.h"
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

// As large as fits the limit, of the same shape as far as whole samples allow; never enlarged, never empty.
inline PlaneSize fitted(const PlaneSize& size, const PlaneSize& limit) {
  const double shrinking = std::max(
      {1.0, static_cast<double>(size.width) / limit.width, static_cast<double>(size.height) / limit.height});
  return {std::max(1, static_cast<int>(size.width / shrinking)),
          std::max(1, static_cast<int>(size.height / shrinking))};
}

// Fills a plane that is no larger with the mean of the samples that each of its own stands for, as `level`
// makes it of that.
template <typename T, typename Level, typename To>
void shrink_plane(PlaneView<const T> from, const Level& level, PlaneView<To> to) {
  const auto start = [](int position, int in, int out) {
    return static_cast<int>(int64_t{position} * in / out);
  };
  for (int y = 0; y < to.height; ++y) {
    const int top = start(y, from.height, to.height);
    const int bottom = std::max(top + 1, start(y + 1, from.height, to.height));
    for (int x = 0; x < to.width; ++x) {
      const int left = start(x, from.width, to.width);
      const int right = std::max(left + 1, start(x + 1, from.width, to.width));
      int64_t sum = 0;
      for (int v = top; v < bottom; ++v) {
        for (int u = left; u < right; ++u) sum += from.row(v)[u];
      }
      to.row(y)[x] = level(static_cast<double>(sum) / ((bottom - top) * (right - left)));
    }
  }
}

}  // namespace vq::cli
