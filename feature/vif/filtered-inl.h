// Filtered samples and filtered products of them. Included once for each SIMD target.
#if defined(VQ_VIF_FILTERED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_VIF_FILTERED_INL_H
#undef VQ_VIF_FILTERED_INL_H
#else
#define VQ_VIF_FILTERED_INL_H
#endif

#include "feature/vif/stages.h"
#include "feature/word_sums-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::vif {
namespace HWY_NAMESPACE {
using namespace vq::HWY_NAMESPACE;

// The filtered samples from x on, rounded to 16 bits and biased.
template <int kScale, typename T>
HWY_NOINLINE void mean_columns(const Columns<T>& rows, int x, int shift, uint16_t* out) {
  hn::VFromD<U32> lower, upper;
  sum_rows<kFilters[kScale]>(
      kBias + (uint32_t{1} << (shift - 1)), [&](int k) HWY_ATTR { return biased(load(row_at(rows, k) + x)); },
      lower, upper);
  hn::VFromD<U16> low, high;
  split(hn::ShiftRightSame(lower, shift), hn::ShiftRightSame(upper, shift), low, high);
  hn::StoreU(biased(low), U16(), out + x);
}

// Filtered products from x on, shifted right with rounding: the lower and the upper halves of these 32 bits,
// biased. Products of bytes fit 16 bits; the halves of others are summed apart.
template <int kScale, typename T>
HWY_NOINLINE void product_columns(const Columns<T>& r, const Columns<T>& d, int x, int shift, uint16_t* low,
                                  uint16_t* high) {
  const uint32_t half = (uint32_t{1} << shift) >> 1;
  hn::VFromD<U32> lower, upper;
  sum_rows<kFilters[kScale]>(
      kBias + half,
      [&](int k) HWY_ATTR { return biased(hn::Mul(load(row_at(r, k) + x), load(row_at(d, k) + x))); }, lower,
      upper);
  if constexpr (sizeof(T) > 1) {
    hn::VFromD<U32> more_lower, more_upper;
    sum_rows<kFilters[kScale]>(
        kBias,
        [&](int k) HWY_ATTR { return biased(hn::MulHigh(load(row_at(r, k) + x), load(row_at(d, k) + x))); },
        more_lower, more_upper);
    lower = hn::Add(hn::ShiftLeftSame(more_lower, 16 - shift), hn::ShiftRightSame(lower, shift));
    upper = hn::Add(hn::ShiftLeftSame(more_upper, 16 - shift), hn::ShiftRightSame(upper, shift));
  }
  hn::VFromD<U16> low_words, high_words;
  split(lower, upper, low_words, high_words);
  hn::StoreU(biased(low_words), U16(), low + x);
  hn::StoreU(biased(high_words), U16(), high + x);
}

// Sums around 32-bit numbers at even and at odd places, shifted right by 16 with rounding. The numbers lie in
// rows of biased halves.
template <int kScale>
HWY_NOINLINE void sum_halves(const uint16_t* low, const uint16_t* high, hn::VFromD<U32>& even,
                             hn::VFromD<U32>& odd) {
  hn::VFromD<U32> even_low, odd_low;
  sum_neighbours<kFilters[kScale]>(low, kBias + 0x8000, even_low, odd_low);
  sum_neighbours<kFilters[kScale]>(high, kBias, even, odd);
  even = hn::Add(even, hn::ShiftRight<16>(even_low));
  odd = hn::Add(odd, hn::ShiftRight<16>(odd_low));
}

// a * b shifted right by 32 with rounding.
HWY_INLINE hn::VFromD<U32> upper_product(hn::VFromD<U32> a, hn::VFromD<U32> b) {
  const auto half = hn::Set(U64(), uint64_t{1} << 31);
  const auto upper = [](hn::VFromD<U32> v)
                         HWY_ATTR { return hn::BitCast(U32(), hn::ShiftRight<32>(hn::BitCast(U64(), v))); };
  const auto even = hn::Add(hn::MulEven(a, b), half), odd = hn::Add(hn::MulEven(upper(a), upper(b)), half);
  return hn::OddEven(hn::BitCast(U32(), odd), hn::BitCast(U32(), hn::ShiftRight<32>(even)));
}

HWY_INLINE hn::VFromD<S32> difference(hn::VFromD<U32> a, hn::VFromD<U32> b) {
  return hn::BitCast(S32(), hn::Sub(a, b));
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::vif
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif
