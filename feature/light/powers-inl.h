// Powers of light, in floats and in vectors of them. Included once for each SIMD target.
#if defined(VQ_FEATURE_LIGHT_POWERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_FEATURE_LIGHT_POWERS_INL_H
#undef VQ_FEATURE_LIGHT_POWERS_INL_H
#else
#define VQ_FEATURE_LIGHT_POWERS_INL_H
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "feature/light/light.h"

#ifndef VQ_FEATURE_LIGHT_POWERS_ONCE
#define VQ_FEATURE_LIGHT_POWERS_ONCE
namespace vq::light {

// x^(-1/5) by Newton's method. Needs: x > kLeastValue, here and below.
inline float fifth_root_of_inverse(float x, int steps) {
  const auto bits = std::bit_cast<uint32_t>(x);
  auto r = std::bit_cast<float>(kRootStart - ((bits >> 15) * 52429 >> 3));
  const float fifth = x * 0.2F;
  for (int i = 0; i < steps; ++i) {
    const float r2 = r * r;
    r = r * (1.2F - fifth * ((r2 * r2) * r));
  }
  return r;
}

inline float power_2_4(float x) {
  const float r = fifth_root_of_inverse(x, 2), r2 = r * r, r4 = r2 * r2, square = x * x;
  const float s = (x * r) * r2, s2 = s * s;
  const float correction = (0.2F * (r4 * r4)) * (square - (s2 * s2) * s);
  return square * s + square * correction;
}

// The value at v, from 0 to 1, of a table like Conversion::curve.
inline float from_table(const float* table, float v) {
  const float t = v * static_cast<float>(kCurveSteps);
  const auto i = static_cast<size_t>(t);
  return table[i] + (t - static_cast<float>(i)) * (table[i + 1] - table[i]);
}

}  // namespace vq::light
#endif  // VQ_FEATURE_LIGHT_POWERS_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::light::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using S32 = hn::RebindToSigned<F32>;
using V32 = hn::VFromD<F32>;

HWY_INLINE V32 all(float value) { return hn::Set(F32(), value); }

HWY_INLINE V32 fifth_root_of_inverse(V32 x, int steps) {
  const U32 u;
  const auto bits = hn::ShiftRight<15>(hn::BitCast(u, x));
  const auto fifth_of_bits = hn::ShiftRight<3>(hn::Mul(bits, hn::Set(u, 52429U)));
  V32 r = hn::BitCast(F32(), hn::Sub(hn::Set(u, kRootStart), fifth_of_bits));
  const V32 fifth = hn::Mul(x, all(0.2F));
  for (int i = 0; i < steps; ++i) {
    const V32 r2 = hn::Mul(r, r);
    r = hn::Mul(r, hn::Sub(all(1.2F), hn::Mul(fifth, hn::Mul(hn::Mul(r2, r2), r))));
  }
  return r;
}

HWY_INLINE V32 power_2_4(V32 x) {
  const V32 r = fifth_root_of_inverse(x, 2), r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
  const V32 square = hn::Mul(x, x), s = hn::Mul(hn::Mul(x, r), r2), s2 = hn::Mul(s, s);
  const V32 difference = hn::Sub(square, hn::Mul(hn::Mul(s2, s2), s));
  const V32 correction = hn::Mul(hn::Mul(all(0.2F), hn::Mul(r4, r4)), difference);
  return hn::Add(hn::Mul(square, s), hn::Mul(square, correction));
}

#if HWY_HAVE_SCALABLE
HWY_INLINE V32 between_entries(const float* table, hn::VFromD<S32> i, V32 t) {
  const V32 low = hn::GatherIndex(F32(), table, i), high = hn::GatherIndex(F32(), table + 1, i);
  return hn::Add(low, hn::Mul(t, hn::Sub(high, low)));
}
#else
// Two entries from each second place on.
template <class D>
HWY_INLINE hn::VFromD<D> load_pairs(D d, const float* table, const int32_t* places) {
  if constexpr (hn::MaxLanes(D()) == 2) {
    return hn::LoadU(d, table + *places);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_pairs(half, table, places + hn::MaxLanes(D()) / 2),
                       load_pairs(half, table, places));
  }
}

// low + t * (high - low) of entries i and i + 1. Two gathers take AMD's processors 1.7 times as long as a
// load of each pair.
HWY_INLINE V32 between_entries(const float* table, hn::VFromD<S32> i, V32 t) {
  const F32 d;
  const hn::Repartition<uint64_t, F32> pair;
  HWY_ALIGN int32_t places[HWY_MAX_BYTES / sizeof(int32_t)];
  hn::Store(i, S32(), places);
  asm("" : "+m"(places));  // else g++ takes each place out of the vector, in two operations
  const V32 even = load_pairs(d, table, places), odd = load_pairs(d, table, places + 1);
  const V32 low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(hn::BitCast(pair, odd))), even);
  const V32 high = hn::OddEven(odd, hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(pair, even))));
  return hn::Add(low, hn::Mul(t, hn::Sub(high, low)));
}
#endif

HWY_INLINE V32 from_table(const float* table, V32 v) {
  const V32 t = hn::Mul(v, all(static_cast<float>(kCurveSteps)));
  const auto i = hn::ConvertTo(S32(), t);
  return between_entries(table, i, hn::Sub(t, hn::ConvertTo(F32(), i)));
}

HWY_INLINE V32 weighted(const float (&weights)[3], V32 r, V32 g, V32 b) {
  const V32 sum = hn::Add(hn::Mul(all(weights[0]), r), hn::Mul(all(weights[1]), g));
  return hn::Add(sum, hn::Mul(all(weights[2]), b));
}

}  // namespace vq::light::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET != HWY_SCALAR

#endif  // include guard for each target
