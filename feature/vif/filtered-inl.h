// Filtered samples and filtered products of them. Included once for each SIMD target.
#if defined(VQ_VIF_FILTERED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_VIF_FILTERED_INL_H
#undef VQ_VIF_FILTERED_INL_H
#else
#define VQ_VIF_FILTERED_INL_H
#endif

#include <algorithm>

#include "feature/vif/stages.h"
#include "feature/words/sums-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::vif {
namespace HWY_NAMESPACE {
using namespace vq::HWY_NAMESPACE;

// The rows of words of one row of a band.
inline constexpr int kWordRows = 8;

// Columns from `first` to `end`, in whole vectors.
struct Part {
  int first = 0, end = 0;
};

// Calls at(x) for the vectors of a part; one that would reach beyond the row begins earlier, and overlaps the
// one before. Loops are within the functions below, so that their taps stay in registers. Needs: at least as
// many words as a vector has, or a row with guards.
template <class At>
HWY_INLINE void for_part(Part part, int width, const At& at) {
  const int step = static_cast<int>(hn::Lanes(U16())), last = std::max(width - step, 0);
  for (int x = part.first; x < part.end; x += step) at(std::min(x, last));
}

// The filtered samples of a part, rounded to 16 bits and biased, for a band: each in the row `word_row` of
// its row's words.
template <int kScale, int kStep, typename T>
HWY_NOINLINE HWY_FLATTEN void mean_band(const Columns<T>& rows, Part part, int width, int shift, int word_row,
                                        Plane<uint16_t>& words) {
  for_part(part, width, [&](int x) HWY_ATTR {
    sum_band<kFilters[kScale], kStep>(
        kBias + (uint32_t{1} << (shift - 1)),
        [&](int k) HWY_ATTR { return biased(load(rows[static_cast<size_t>(k)] + x)); },
        [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
          hn::VFromD<U16> low, high;
          split(hn::ShiftRightSame(lower, shift), hn::ShiftRightSame(upper, shift), low, high);
          hn::StoreU(biased(low), U16(), words.row(kWordRows * i + word_row) + x);
        });
  });
}

HWY_INLINE void store_halves(hn::VFromD<U32> lower, hn::VFromD<U32> upper, uint16_t* low, uint16_t* high) {
  hn::VFromD<U16> low_words, high_words;
  split(lower, upper, low_words, high_words);
  hn::StoreU(biased(low_words), U16(), low);
  hn::StoreU(biased(high_words), U16(), high);
}

// Filtered products of a part, shifted right with rounding: the lower and the upper halves of these 32 bits,
// biased, in two rows from `word_row` on. Products of bytes fit 16 bits; the halves of others are summed
// apart.
template <int kScale, typename T>
HWY_NOINLINE HWY_FLATTEN void product_band(const Columns<T>& r, const Columns<T>& d, Part part, int width,
                                           int shift, int word_row, Plane<uint16_t>& words) {
  const U32 d32;
  const size_t lanes = hn::Lanes(d32);
  const uint32_t half_unit = (uint32_t{1} << shift) >> 1;
  // What the lower halves of products leave, in the order of sum_band().
  alignas(kRowGuardBytes) uint32_t rest[2 * kBandRows * kRowGuardBytes / sizeof(uint32_t)];
  for_part(part, width, [&](int x) HWY_ATTR {
    const auto at = [x](const Columns<T>& rows, int k)
                        HWY_ATTR { return load(rows[static_cast<size_t>(k)] + x); };
    const auto out = [&](int i, int half) { return words.row(kWordRows * i + word_row + half) + x; };
    sum_band<kFilters[kScale], 1>(
        kBias + half_unit, [&](int k) HWY_ATTR { return biased(hn::Mul(at(r, k), at(d, k))); },
        [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
          if constexpr (sizeof(T) == 1) {
            store_halves(lower, upper, out(i, 0), out(i, 1));
          } else {
            uint32_t* const low = rest + 2 * static_cast<size_t>(i) * lanes;
            hn::Store(hn::ShiftRightSame(lower, shift), d32, low);
            hn::Store(hn::ShiftRightSame(upper, shift), d32, low + lanes);
          }
        });
    if constexpr (sizeof(T) > 1) {
      sum_band<kFilters[kScale], 1>(
          kBias, [&](int k) HWY_ATTR { return biased(hn::MulHigh(at(r, k), at(d, k))); },
          [&](int i, hn::VFromD<U32> lower, hn::VFromD<U32> upper) HWY_ATTR {
            const uint32_t* const low = rest + 2 * static_cast<size_t>(i) * lanes;
            store_halves(hn::Add(hn::ShiftLeftSame(lower, 16 - shift), hn::Load(d32, low)),
                         hn::Add(hn::ShiftLeftSame(upper, 16 - shift), hn::Load(d32, low + lanes)), out(i, 0),
                         out(i, 1));
          });
    }
  });
}

// The horizontal sums of `count` filtered samples: those at the even places of each vector of words, then
// those at its odd places.
template <int kScale>
HWY_NOINLINE void filter_means(const uint16_t* words, int count, uint32_t* out) {
  const int lanes = static_cast<int>(hn::Lanes(U32()));
  for (int x = 0; x < count; x += 2 * lanes) {
    hn::VFromD<U32> even, odd;
    sum_neighbours<kFilters[kScale]>(words + x, kBias, even, odd);
    hn::Store(even, U32(), out + x);
    hn::Store(odd, U32(), out + x + lanes);
  }
}

// The same of 32-bit numbers in rows of biased halves, shifted right by 16 with rounding.
template <int kScale>
HWY_NOINLINE void filter_halves(const uint16_t* low, const uint16_t* high, int count, uint32_t* out) {
  const int lanes = static_cast<int>(hn::Lanes(U32()));
  for (int x = 0; x < count; x += 2 * lanes) {
    hn::VFromD<U32> even, odd, even_low, odd_low;
    sum_neighbours<kFilters[kScale]>(low + x, kBias + 0x8000, even_low, odd_low);
    sum_neighbours<kFilters[kScale]>(high + x, kBias, even, odd);
    hn::Store(hn::Add(even, hn::ShiftRight<16>(even_low)), U32(), out + x);
    hn::Store(hn::Add(odd, hn::ShiftRight<16>(odd_low)), U32(), out + x + lanes);
  }
}

// a * b shifted right by 32 with rounding.
HWY_INLINE hn::VFromD<U32> upper_product(hn::VFromD<U32> a, hn::VFromD<U32> b) {
  const auto half = hn::Set(U64(), uint64_t{1} << 31);
  const auto upper = [](hn::VFromD<U32> v)
                         HWY_ATTR { return hn::BitCast(U32(), hn::ShiftRight<32>(hn::BitCast(U64(), v))); };
  const auto even = hn::Add(hn::MulEven(a, b), half), odd = hn::Add(hn::MulEven(upper(a), upper(b)), half);
  return hn::OddEven(hn::BitCast(U32(), odd), hn::BitCast(U32(), hn::ShiftRight<32>(even)));
}

// A second moment less the product of two means: a central moment.
HWY_INLINE hn::VFromD<S32> central(hn::VFromD<U32> moment, hn::VFromD<U32> a, hn::VFromD<U32> b) {
  return hn::BitCast(S32(), hn::Sub(moment, upper_product(a, b)));
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::vif
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif
