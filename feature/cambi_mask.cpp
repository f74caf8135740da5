#include <algorithm>

#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {

void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask) {
  constexpr int kReach = kMaskBox / 2;
  std::vector<uint32_t>& sums = scratch.column_sums;  // of the box's rows, for every column
  std::fill(sums.begin(), sums.end(), 0U);
  const auto add_row = [&](int y, uint32_t sign) {
    if (y < 0 || y >= flat.height) return;
    for (int x = 0; x < flat.width; ++x) sums[static_cast<size_t>(x)] += sign * flat.row(y)[x];
  };
  for (int y = 0; y < kReach; ++y) add_row(y, 1);
  for (int y = 0; y < flat.height; ++y) {
    add_row(y + kReach, 1);
    add_row(y - kReach - 1, ~0U);
    for (int x = 0; x < flat.width; ++x) {
      const int first = std::max(x - kReach, 0), last = std::min(x + kReach, flat.width - 1);
      uint32_t box = 0;
      for (int k = first; k <= last; ++k) box += sums[static_cast<size_t>(k)];
      mask.row(y)[x] = static_cast<int>(box) > threshold;
    }
  }
}

}  // namespace vq::cambi::scalar
