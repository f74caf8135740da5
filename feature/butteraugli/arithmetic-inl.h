// The functions of stages.h for vectors of floats, with the same bits, and what the stages share to load
// and store them. Included once for each SIMD target.
#if defined(VQ_BUTTERAUGLI_ARITHMETIC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_BUTTERAUGLI_ARITHMETIC_INL_H
#undef VQ_BUTTERAUGLI_ARITHMETIC_INL_H
#else
#define VQ_BUTTERAUGLI_ARITHMETIC_INL_H
#endif

#include <hwy/highway.h>

#include "feature/butteraugli/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::butteraugli::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using I32 = hn::RebindToSigned<F32>;
using V32 = hn::VFromD<F32>;

HWY_INLINE V32 all(float value) { return hn::Set(F32(), value); }
HWY_INLINE V32 load(const float* from) { return hn::LoadU(F32(), from); }
HWY_INLINE void store(V32 value, float* to) { hn::StoreU(value, F32(), to); }
HWY_INLINE int lanes() { return static_cast<int>(hn::Lanes(F32())); }

HWY_INLINE V32 reciprocal(V32 x) {
  V32 r = hn::BitCast(F32(), hn::Sub(hn::Set(U32(), kReciprocalBits), hn::BitCast(U32(), x)));
  r = hn::Mul(r, hn::Sub(all(2), hn::Mul(x, r)));
  r = hn::Mul(r, hn::Sub(all(2), hn::Mul(x, r)));
  return hn::Mul(r, hn::Sub(all(2), hn::Mul(x, r)));
}

HWY_INLINE V32 upper_part(V32 x) {
  return hn::BitCast(F32(), hn::And(hn::BitCast(U32(), x), hn::Set(U32(), kUpperBits)));
}

HWY_INLINE V32 quotient(V32 a, V32 b) {
  const V32 r = reciprocal(b), q = hn::Mul(a, r);
  const V32 upper_q = upper_part(q), lower_q = hn::Sub(q, upper_q);
  const V32 upper_b = upper_part(b), lower_b = hn::Sub(b, upper_b);
  V32 rest = hn::Sub(hn::Sub(a, hn::Mul(upper_q, upper_b)), hn::Mul(upper_q, lower_b));
  rest = hn::Sub(hn::Sub(rest, hn::Mul(lower_q, upper_b)), hn::Mul(lower_q, lower_b));
  return hn::Add(q, hn::Mul(rest, r));
}

HWY_INLINE V32 root(V32 x) {
  const V32 half = hn::Mul(all(0.5F), x);
  V32 r = hn::BitCast(F32(), hn::Sub(hn::Set(U32(), kRootBits), hn::ShiftRight<1>(hn::BitCast(U32(), x))));
  r = hn::Mul(r, hn::Sub(all(1.5F), hn::Mul(hn::Mul(half, r), r)));
  r = hn::Mul(r, hn::Sub(all(1.5F), hn::Mul(hn::Mul(half, r), r)));
  r = hn::Mul(r, hn::Sub(all(1.5F), hn::Mul(hn::Mul(half, r), r)));
  return hn::Mul(x, r);
}

HWY_INLINE V32 logarithm(V32 x) {
  const auto bits = hn::BitCast(I32(), x);
  const auto first = hn::Set(I32(), static_cast<int32_t>(kLogarithmBits));
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, first));
  const V32 m = hn::Sub(hn::BitCast(F32(), hn::Sub(bits, hn::ShiftLeft<23>(exponent))), all(1));
  const V32 p = hn::Add(hn::Mul(hn::Add(hn::Mul(all(kLogP2), m), all(kLogP1)), m), all(kLogP0));
  const V32 q = hn::Add(hn::Mul(hn::Add(hn::Mul(all(kLogQ2), m), all(kLogQ1)), m), all(kLogQ0));
  return hn::Add(quotient(p, q), hn::ConvertTo(F32(), exponent));
}

HWY_INLINE V32 settled(V32 x) { return hn::IfThenZeroElse(hn::Lt(hn::Abs(x), all(kLeast)), x); }

}  // namespace vq::butteraugli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
