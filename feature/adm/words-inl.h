// Vectors of ADM's words, and products of 16-bit words in 32-bit lanes. Included once for each SIMD target.
#if defined(VQ_ADM_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_ADM_WORDS_INL_H
#undef VQ_ADM_WORDS_INL_H
#else
#define VQ_ADM_WORDS_INL_H
#endif

#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::adm::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using U32 = hn::RebindToUnsigned<S32>;
using S16 = hn::Repartition<int16_t, S32>;
using V32 = hn::VFromD<S32>;
using V16 = hn::VFromD<S16>;
using S64 = hn::Repartition<int64_t, S32>;
using U64 = hn::RebindToUnsigned<S64>;
using V64 = hn::VFromD<S64>;

HWY_INLINE V32 odd_lanes(V32 v) { return hn::BitCast(S32(), hn::ShiftRight<32>(hn::BitCast(U64(), v))); }

// The lower halves of signed words.
HWY_INLINE V32 low_halves(V16 v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(S32(), v))); }
HWY_INLINE V32 high_halves(V16 v) { return hn::ShiftRight<16>(hn::BitCast(S32(), v)); }

// In each 32-bit lane the products of its low and of its high halves, added.
HWY_INLINE V32 add_products(V16 a, V16 b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  // There it is one instruction, which leaves the last argument alone; elsewhere its sums are of other lanes.
  V32 unused = hn::Zero(S32());
  return hn::ReorderWidenMulAccumulate(S32(), a, b, hn::Zero(S32()), unused);
#else
  return hn::Add(hn::Mul(low_halves(a), low_halves(b)), hn::Mul(high_halves(a), high_halves(b)));
#endif
}

// In each 32-bit lane the product of its low half and a positive word.
template <int16_t kFactor>
HWY_INLINE V32 low_products(V32 v) {
  static_assert(kFactor > 0);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  return add_products(hn::BitCast(S16(), v), hn::BitCast(S16(), hn::Set(S32(), kFactor)));
#else
  const V32 low = low_halves(hn::BitCast(S16(), v));
  return kFactor == 1 ? low : hn::Mul(low, hn::Set(S32(), kFactor));
#endif
}

}  // namespace vq::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif  // VQ_ADM_WORDS_INL_H
