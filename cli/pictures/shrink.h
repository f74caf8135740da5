// Reduction of planes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/frame.h"
#include "core/plane.h"

namespace vq::cli {

// The largest size of the same aspect ratio that fits the limit, in whole samples; never enlarged, never
// empty.
inline PlaneSize fitted(const PlaneSize& size, const PlaneSize& limit) {
  const double shrinking = std::max(
      {1.0, static_cast<double>(size.width) / limit.width, static_cast<double>(size.height) / limit.height});
  return {std::max(1, static_cast<int>(size.width / shrinking)),
          std::max(1, static_cast<int>(size.height / shrinking))};
}

// Fills a plane that is no larger with the means of the samples that each of its samples covers, converted by
// `level`.
template <typename T, typename Level>
void shrink_plane(PlaneView<const T> from, const Level& level, PlaneView<uint8_t> to) {
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
