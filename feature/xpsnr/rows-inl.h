// Rows of samples as words, and sums of columns. Included once for each SIMD target.
#if defined(VQ_FEATURE_XPSNR_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_FEATURE_XPSNR_ROWS_INL_H
#undef VQ_FEATURE_XPSNR_ROWS_INL_H
#else
#define VQ_FEATURE_XPSNR_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "feature/xpsnr/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::xpsnr {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::ScalableTag<uint32_t>;
using U16 = hn::Repartition<uint16_t, U32>;

// A vector of words or of numbers of 32 bits, from words.
HWY_INLINE hn::VFromD<U16> load(U16 d, const uint16_t* from) {
  return hn::LoadU(d, from);
}
HWY_INLINE hn::VFromD<U32> load(U32 d, const uint16_t* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint16_t, U32>(), from));
}

template <class V>
HWY_INLINE V absolute_difference(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

HWY_INLINE hn::VFromD<U32> lower_half(hn::VFromD<U16> v) {
  return hn::PromoteTo(U32(), hn::LowerHalf(hn::Half<U16>(), v));
}
HWY_INLINE hn::VFromD<U32> upper_half(hn::VFromD<U16> v) {
  return hn::PromoteTo(U32(), hn::UpperHalf(hn::Half<U16>(), v));
}

// Adds a vector to sums of columns.
HWY_INLINE void add(hn::VFromD<U32> v, uint32_t* sums) {
  const U32 d;
  hn::StoreU(hn::Add(hn::LoadU(d, sums), v), d, sums);
}
HWY_INLINE void add(hn::VFromD<U16> v, uint32_t* sums) {
  add(lower_half(v), sums);
  add(upper_half(v), sums + hn::Lanes(U32()));
}

// The first and the second word of each lane.
HWY_INLINE hn::VFromD<U32> evens(hn::VFromD<U32> pairs) {
  return hn::And(pairs, hn::Set(U32(), 0xFFFF));
}
HWY_INLINE hn::VFromD<U32> odds(hn::VFromD<U32> pairs) {
  return hn::ShiftRight<16>(pairs);
}

HWY_INLINE uint32_t largest_of(hn::VFromD<U16> v) {
  const U32 d;
  const auto pairs = hn::BitCast(d, v);
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(evens(pairs), odds(pairs))));
}

HWY_INLINE hn::VFromD<U16> words(const uint8_t* from) {
  return hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), from));
}
HWY_INLINE hn::VFromD<U16> words(const uint16_t* from) {
  return hn::LoadU(U16(), from);
}

// Stores a row as words, shifted left, and repeats the last. Returns the largest.
template <typename T>
uint32_t to_words(const T* from, int width, int shift, uint16_t* out) {
  const U16 d;
  const int step = static_cast<int>(hn::Lanes(d));
  uint32_t largest = 0;
  if (width < step) {
    for (int x = 0; x < width; ++x) {
      out[x] = static_cast<uint16_t>(from[x] << shift);
      largest = std::max<uint32_t>(largest, out[x]);
    }
  } else {
    auto most = hn::Zero(d);
    const auto store = [&](int x) HWY_ATTR {
      const auto v = hn::ShiftLeftSame(words(from + x), shift);
      most = hn::Max(most, v);
      hn::StoreU(v, d, out + x);
    };
    for (int x = 0; x + step <= width; x += step) store(x);
    store(width - step);
    largest = largest_of(most);
  }
  out[width] = out[width - 1];
  return largest;
}

// The same of one row of a plane.
HWY_INLINE uint32_t to_words(const Samples& samples, int y, uint16_t* out) {
  const SampleView& view = samples.view;
  return view.is_u8() ? to_words(view.u8.row(y), view.u8.width, samples.shift, out)
                      : to_words(view.u16.row(y), view.u16.width, samples.shift, out);
}

HWY_INLINE uint64_t sum_of(const uint32_t* sums, Span span) {
  uint64_t total = 0;
  for (int x = span.start; x < span.end; ++x) total += sums[x];
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::xpsnr
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET != HWY_SCALAR

#endif  // VQ_FEATURE_XPSNR_ROWS_INL_H
