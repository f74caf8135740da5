// Filtered sums of 16-bit words over columns and along rows. Included once for each SIMD target.
#if defined(VQ_FEATURE_WORD_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_FEATURE_WORD_SUMS_INL_H
#undef VQ_FEATURE_WORD_SUMS_INL_H
#else
#define VQ_FEATURE_WORD_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/plane.h"
#include "feature/words/filter.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums consist of products of signed 16-bit numbers, two at a time. Unsigned words w are stored biased, as w
// - 2^15; as the taps add up to 2^16, that lowers their sum by 2^31, with which it therefore starts, all
// modulo 2^32.
using S32 = hn::ScalableTag<int32_t>;
using U32 = hn::RebindToUnsigned<S32>;
using S16 = hn::Repartition<int16_t, S32>;
using U16 = hn::Repartition<uint16_t, S32>;
using U8 = hn::Repartition<uint8_t, S32>;
using U64 = hn::Repartition<uint64_t, S32>;

inline constexpr uint32_t kBias = 0x80000000;

HWY_INLINE hn::VFromD<U16> biased(hn::VFromD<U16> v) { return hn::Xor(v, hn::Set(U16(), 0x8000)); }

// GCC would make all products before it adds the first, more than there are registers for.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_COMPILER_GCC_ACTUAL
HWY_INLINE void keep_order(hn::VFromD<S32>& sum) { asm("" : "+v"(sum.raw)); }
#else
HWY_INLINE void keep_order(hn::VFromD<S32>&) {}
#endif

// Adds to every sum the two products of its lane.
#if HWY_TARGET == HWY_AVX3_DL
HWY_INLINE void add_products(hn::VFromD<U16> pairs, hn::VFromD<S16> taps, hn::VFromD<S32>& sum,
                             hn::VFromD<S32>&) {
  // One instruction in place of the two of Highway 1.0, which does not let compilers use it although CPUs of
  // this target have it.
  asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(pairs.raw), "v"(taps.raw));
}
#else
HWY_INLINE void add_products(hn::VFromD<U16> pairs, hn::VFromD<S16> taps, hn::VFromD<S32>& sum,
                             hn::VFromD<S32>& rest) {
  sum = hn::ReorderWidenMulAccumulate(S32(), hn::BitCast(S16(), pairs), taps, sum, rest);
  keep_order(sum);
}
#endif
// If both products of a lane are added to that lane, the sums can start with the initial value. Elsewhere, as
// on NEON, they are combined later, and the value is added at the end.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
inline constexpr bool kAddsInPlace = true;
#else
inline constexpr bool kAddsInPlace = false;
#endif
HWY_INLINE hn::VFromD<S32> start(uint32_t init) {
  return hn::BitCast(S32(), hn::Set(U32(), kAddsInPlace ? init : 0));
}
HWY_INLINE hn::VFromD<U32> total(hn::VFromD<S32> sum, hn::VFromD<S32> rest, uint32_t init) {
  const auto products = hn::BitCast(U32(), hn::RearrangeToOddPlusEven(sum, rest));
  return kAddsInPlace ? products : hn::Add(products, hn::Set(U32(), init));
}

// Rows of sums are made in bands of kBandRows, kStep rows of the picture apart. Those of a band share the
// loads, products and interleaving of the rows that contribute to several of them.
inline constexpr int kBandRows = 4;
inline constexpr int kMaxStep = 2;
template <WordFilter kFilter, int kStep>
inline constexpr int kBandPairs = kFilter.radius + 1 + (kBandRows - 1) * kStep / 2;

// The rows that contribute to a band, the first at the radius above its first row.
template <typename T>
using Columns = std::array<const T*, 2 * kMaxFilterRadius + 2 + (kBandRows - 1) * kMaxStep>;

template <typename T>
Columns<T> columns_at(PlaneView<const T> plane, int y, int radius) {
  Columns<T> columns = {};
  for (size_t k = 0; k < columns.size(); ++k)
    columns[k] = plane.row(reflected(y - radius + static_cast<int>(k), plane.height));
  return columns;
}

HWY_INLINE hn::VFromD<U16> load(const uint16_t* in) { return hn::LoadU(U16(), in); }
HWY_INLINE hn::VFromD<U16> load(const uint8_t* in) {
  return hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), in));
}

// The taps of two neighbours as one 32-bit lane: of samples at the distances `first` and first + 1.
// A tap of more than 15 bits is stored less 2^16.
constexpr int32_t neighbour_taps(const WordFilter& filter, int first) {
  const auto tap = [&](int k) { return static_cast<uint32_t>(filter.tap(k)) & 0xFFFF; };
  const uint32_t low = -filter.radius <= first && first <= filter.radius ? tap(first) : 0;
  const uint32_t high = -filter.radius <= first + 1 && first + 1 <= filter.radius ? tap(first + 1) : 0;
  return static_cast<int32_t>(low | (high << 16));
}

// Adds the products of a pair of interleaved rows to one row of the band.
template <int32_t kTaps>
HWY_INLINE void add_rows(hn::VFromD<U16> lower_pairs, hn::VFromD<U16> upper_pairs, hn::VFromD<S32>& lower,
                         hn::VFromD<S32>& lower_rest, hn::VFromD<S32>& upper, hn::VFromD<S32>& upper_rest) {
  if constexpr (kTaps != 0) {
    const auto taps = hn::BitCast(S16(), hn::Set(S32(), kTaps));
    add_products(lower_pairs, taps, lower, lower_rest);
    add_products(upper_pairs, taps, upper, upper_rest);
  }
}

// 32-bit sums over rows, starting with `init`, of the signed or biased words that value(k) returns for the
// k-th row of Columns. Hands them to take(i, lower, upper) for each row i of the band, in two vectors, as
// interleaving the words of two rows leaves them.
template <WordFilter kFilter, int kStep, class Value, class Take>
HWY_INLINE void sum_band(uint32_t init, const Value& value, const Take& take) {
  static_assert(kBandRows == 4 && kStep <= kMaxStep);
  auto lower0 = start(init), lower1 = lower0, lower2 = lower0, lower3 = lower0;
  auto upper0 = lower0, upper1 = lower0, upper2 = lower0, upper3 = lower0;
  auto lower_rest0 = hn::Zero(S32()), lower_rest1 = lower_rest0, lower_rest2 = lower_rest0,
       lower_rest3 = lower_rest0;
  auto upper_rest0 = lower_rest0, upper_rest1 = lower_rest0, upper_rest2 = lower_rest0,
       upper_rest3 = lower_rest0;
  const auto add = [&]<int kPair>(std::integral_constant<int, kPair>) HWY_ATTR {
    constexpr int kFirst = 2 * kPair - kFilter.radius;
    const auto above = value(2 * kPair), below = value(2 * kPair + 1);
    const auto lower = hn::InterleaveLower(U16(), above, below);
    const auto upper = hn::InterleaveUpper(U16(), above, below);
    add_rows<neighbour_taps(kFilter, kFirst)>(lower, upper, lower0, lower_rest0, upper0, upper_rest0);
    add_rows<neighbour_taps(kFilter, kFirst - kStep)>(lower, upper, lower1, lower_rest1, upper1, upper_rest1);
    add_rows<neighbour_taps(kFilter, kFirst - 2 * kStep)>(lower, upper, lower2, lower_rest2, upper2,
                                                          upper_rest2);
    add_rows<neighbour_taps(kFilter, kFirst - 3 * kStep)>(lower, upper, lower3, lower_rest3, upper3,
                                                          upper_rest3);
  };
  [&]<int... kPairs>(std::integer_sequence<int, kPairs...>) HWY_ATTR {
    (add(std::integral_constant<int, kPairs>()), ...);
  }
  (std::make_integer_sequence<int, kBandPairs<kFilter, kStep>>());
  const auto finish = [&](int i, hn::VFromD<S32> lower, hn::VFromD<S32> lower_rest, hn::VFromD<S32> upper,
                          hn::VFromD<S32> upper_rest) HWY_ATTR {
    auto lower_total = total(lower, lower_rest, init), upper_total = total(upper, upper_rest, init);
    if constexpr (kFilter.tap(0) > INT16_MAX) {
      const auto middle = value(kFilter.radius + i * kStep), zero = hn::Zero(U16());
      lower_total = hn::Add(lower_total, hn::BitCast(U32(), hn::InterleaveLower(U16(), zero, middle)));
      upper_total = hn::Add(upper_total, hn::BitCast(U32(), hn::InterleaveUpper(U16(), zero, middle)));
    }
    take(i, lower_total, upper_total);
  };
  finish(0, lower0, lower_rest0, upper0, upper_rest0);
  finish(1, lower1, lower_rest1, upper1, upper_rest1);
  finish(2, lower2, lower_rest2, upper2, upper_rest2);
  finish(3, lower3, lower_rest3, upper3, upper_rest3);
}

// The lower and upper halves of the sums of sum_band(), in the order of the words.
HWY_INLINE void split(hn::VFromD<U32> first, hn::VFromD<U32> second, hn::VFromD<U16>& low,
                      hn::VFromD<U16>& high) {
  alignas(16) static constexpr uint8_t kHalves[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
  const auto halves = hn::LoadDup128(U8(), kHalves);
  const auto a = hn::BitCast(U64(), hn::TableLookupBytes(hn::BitCast(U8(), first), halves));
  const auto b = hn::BitCast(U64(), hn::TableLookupBytes(hn::BitCast(U8(), second), halves));
  low = hn::BitCast(U16(), hn::InterleaveLower(U64(), a, b));
  high = hn::BitCast(U16(), hn::InterleaveUpper(U64(), a, b));
}

// 32-bit sums around the words at even and at odd indices of a row of signed or biased words, starting with
// `init`. Reads up to the radius, rounded up to an even number, beyond both ends. Both sums use the same
// pairs.
template <WordFilter kFilter>
HWY_INLINE void sum_neighbours(const uint16_t* row, uint32_t init, hn::VFromD<U32>& even,
                               hn::VFromD<U32>& odd) {
  constexpr int kReach = kFilter.radius + kFilter.radius % 2;
  auto first = start(init), second = first;
  auto first_rest = hn::Zero(S32()), second_rest = first_rest;
  for (int k = -kReach; k <= kReach; k += 2) {
    const auto pairs = load(row + k);
    const auto even_taps = hn::Set(S32(), neighbour_taps(kFilter, k)),
               odd_taps = hn::Set(S32(), neighbour_taps(kFilter, k - 1));
    add_products(pairs, hn::BitCast(S16(), even_taps), first, first_rest);
    add_products(pairs, hn::BitCast(S16(), odd_taps), second, second_rest);
  }
  even = total(first, first_rest, init);
  odd = total(second, second_rest, init);
  if constexpr (kFilter.tap(0) > INT16_MAX) {
    const auto middle = hn::BitCast(U32(), load(row));
    even = hn::Add(even, hn::ShiftLeft<16>(middle));
    odd = hn::Add(odd, hn::And(middle, hn::Set(U32(), 0xFFFF0000)));
  }
}

// Calls at(x) for vectors that cover a row; the last may overlap the one before. Needs: at least as many
// words as a vector has, or a row with guards.
template <class At>
HWY_INLINE void for_vectors(int width, const At& at) {
  const int step = static_cast<int>(hn::Lanes(U16()));
  for (int x = 0; x + step <= width; x += step) at(x);
  if (width % step != 0) at(std::max(width - step, 0));
}

}  // namespace vq::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif
