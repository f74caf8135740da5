// The integer transform of eight numbers, for a block in each lane. Included once for each SIMD target.
#if defined(VQ_PSNR_HVS_TRANSFORM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_PSNR_HVS_TRANSFORM_INL_H
#undef VQ_PSNR_HVS_TRANSFORM_INL_H
#else
#define VQ_PSNR_HVS_TRANSFORM_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "core/plane.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::psnr_hvs {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using Words = hn::VFromD<S32>;

constexpr int kMostLanes = static_cast<int>(kRowGuardBytes / sizeof(int32_t));

HWY_INLINE int lanes() {
  return static_cast<int>(hn::Lanes(S32()));
}

HWY_INLINE Words half(Words a) {
  return hn::ShiftRight<1>(hn::Sub(a, hn::ShiftRight<31>(a)));
}

template <int factor, int bits>
HWY_INLINE Words lift(Words t) {
  const S32 d;
  return hn::ShiftRight<bits>(hn::Add(hn::Mul(hn::Set(d, factor), t), hn::Set(d, 1 << (bits - 1))));
}

// transform_eight() of each lane; numbers are `step` apart.
HWY_INLINE void transform_lanes(int32_t* x, int step) {
  const S32 d;
  const auto at = [&](int i) HWY_ATTR { return hn::Load(d, x + i * step); };
  Words t0 = at(0), t4 = at(1), t2 = at(2), t6 = at(3), t7 = at(4), t3 = at(5), t5 = at(6), t1 = at(7);
  t1 = hn::Sub(t0, t1);
  const Words u1 = half(t1);
  t0 = hn::Sub(t0, u1);
  t4 = hn::Add(t4, t5);
  const Words u4 = half(t4);
  t5 = hn::Sub(t5, u4);
  t3 = hn::Sub(t2, t3);
  t2 = hn::Sub(t2, half(t3));
  t6 = hn::Add(t6, t7);
  const Words u6 = half(t6);
  t7 = hn::Sub(u6, t7);
  t0 = hn::Add(t0, u6);
  t6 = hn::Sub(t0, t6);
  t2 = hn::Sub(u4, t2);
  t4 = hn::Sub(t2, t4);
  t0 = hn::Sub(t0, lift<13573, 15>(t4));
  t4 = hn::Add(t4, lift<11585, 14>(t0));
  t0 = hn::Sub(t0, lift<13573, 15>(t4));
  t6 = hn::Sub(t6, lift<21895, 15>(t2));
  t2 = hn::Add(t2, lift<15137, 14>(t6));
  t6 = hn::Sub(t6, lift<21895, 15>(t2));
  t3 = hn::Add(t3, lift<19195, 15>(t5));
  t5 = hn::Add(t5, lift<11585, 14>(t3));
  t3 = hn::Sub(t3, lift<7489, 13>(t5));
  t7 = hn::Sub(half(t5), t7);
  t5 = hn::Sub(t5, t7);
  t3 = hn::Sub(u1, t3);
  t1 = hn::Sub(t1, t3);
  t7 = hn::Add(t7, lift<3227, 15>(t1));
  t1 = hn::Sub(t1, lift<6393, 15>(t7));
  t7 = hn::Add(t7, lift<3227, 15>(t1));
  t5 = hn::Add(t5, lift<2485, 13>(t3));
  t3 = hn::Sub(t3, lift<18205, 15>(t5));
  t5 = hn::Add(t5, lift<2485, 13>(t3));
  hn::Store(t0, d, x);
  hn::Store(t1, d, x + step);
  hn::Store(t2, d, x + 2 * step);
  hn::Store(t3, d, x + 3 * step);
  hn::Store(t4, d, x + 4 * step);
  hn::Store(t5, d, x + 5 * step);
  hn::Store(t6, d, x + 6 * step);
  hn::Store(t7, d, x + 7 * step);
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::psnr_hvs
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET != HWY_SCALAR

#endif  // TRANSFORM toggle
