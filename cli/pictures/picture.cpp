#include "cli/pictures/picture.h"

#include <algorithm>
#include <cmath>

namespace vq::cli {

RgbImage::RgbImage(int width, int height, Colour colour)
    : width_(width), height_(height), bytes_(static_cast<size_t>(width) * static_cast<size_t>(height) * 3) {
  fill({0, 0, width, height}, colour);
}

void RgbImage::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  uint8_t* const sample = row(y) + 3 * x;
  sample[0] = colour.red;
  sample[1] = colour.green;
  sample[2] = colour.blue;
}

Colour RgbImage::at(int x, int y) const {
  const uint8_t* const sample = row(y) + 3 * x;
  return {sample[0], sample[1], sample[2]};
}

void RgbImage::fill(const Rectangle& area, Colour colour) {
  const int left = std::max(area.x, 0), right = std::min(area.x + area.width, width_);
  const int top = std::max(area.y, 0), bottom = std::min(area.y + area.height, height_);
  if (left >= right || top >= bottom) return;
  for (int x = left; x < right; ++x) set(x, top, colour);
  for (int y = top + 1; y < bottom; ++y)
    std::copy_n(row(top) + 3 * left, 3 * (right - left), row(y) + 3 * left);
}

Colour blend(Colour under, Colour over, double weight) {
  const auto mix = [weight](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(a + (b - a) * weight));
  };
  return {mix(under.red, over.red), mix(under.green, over.green), mix(under.blue, over.blue)};
}

}  // namespace vq::cli
