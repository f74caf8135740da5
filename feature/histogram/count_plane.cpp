#include <algorithm>

#include "feature/histogram/stages.h"

namespace vq::histogram {
namespace {

template <typename T>
void count_samples(const PlaneView<const T>& plane, const BinRule& rule, ChannelCounts& counts) {
  for (int y = 0; y < plane.height; ++y) {
    const T* const row = plane.row(y);
    for (int x = 0; x < plane.width; ++x) {
      const uint32_t value = row[x];
      ++counts.bins[bin_of(rule, value)];
      counts.min = std::min(counts.min, value);
      counts.max = std::max(counts.max, value);
    }
  }
}

}  // namespace

void scalar::count_plane(const SampleView& plane, const BinRule& rule, ChannelCounts& counts) {
  plane.is_u8() ? count_samples(plane.u8, rule, counts) : count_samples(plane.u16, rule, counts);
}

CountPlane simd::count_plane_for(int64_t) {
  return scalar::count_plane;
}

}  // namespace vq::histogram
