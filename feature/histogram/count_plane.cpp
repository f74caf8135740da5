#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/histogram/count_plane.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/histogram/stages.h"
#include "feature/histogram/value_counts-inl.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
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

}  // namespace vq::histogram
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::histogram {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::count_plane;
#else

void count_bytes(const PlaneView<const uint8_t>& plane, const BinRule& rule, ChannelCounts& counts) {
  ValueCounts values(rule, counts);
  for (int y = 0; y < plane.height; ++y) values.add(plane.row(y), static_cast<size_t>(plane.width));
  values.finish(true);
}

// The columns that fill vectors; the rest is left to scalar.
void count_words(const PlaneView<const uint16_t>& plane, const BinRule& rule, ChannelCounts& counts) {
  const int lanes = static_cast<int>(hn::Lanes(U16())), whole = plane.width / lanes * lanes;
  ValueCounts values(rule, counts);
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < whole; x += static_cast<int>(kRun)) {
      values.add(plane.row(y) + x, static_cast<size_t>(std::min(static_cast<int>(kRun), whole - x)));
    }
  }
  values.finish(false);
  SampleView rest;
  rest.u16 = {plane.data + whole, plane.width - whole, plane.height, plane.stride};
  if (whole < plane.width) scalar::count_plane(rest, rule, counts);
}

void count_plane(const SampleView& plane, const BinRule& rule, ChannelCounts& counts) {
  plane.is_u8() ? count_bytes(plane.u8, rule, counts) : count_words(plane.u16, rule, counts);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::histogram
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::histogram {
HWY_EXPORT(count_plane);

CountPlane simd::count_plane_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(count_plane), target);
}

}  // namespace vq::histogram
#endif  // HWY_ONCE
