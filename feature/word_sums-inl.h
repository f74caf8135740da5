// Filtered sums of 16-bit words over columns and along rows. Included once for each SIMD target.
#if defined(VQ_FEATURE_WORD_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_FEATURE_WORD_SUMS_INL_H
#undef VQ_FEATURE_WORD_SUMS_INL_H
#else
#define VQ_FEATURE_WORD_SUMS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "core/plane.h"
#include "feature/word_filter.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq {
namespace HWY_NAMESPACE {
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

HWY_INLINE hn::VFromD<U16> biased(hn::VFromD<U16> v) {
  return hn::Xor(v, hn::Set(U16(), 0x8000));
}

// Adds to every sum the two products of its lane.
HWY_INLINE void add_products(hn::VFromD<U16> pairs, hn::VFromD<S16> taps, hn::VFromD<S32>& sum,
                             hn::VFromD<S32>& rest) {
  sum = hn::ReorderWidenMulAccumulate(S32(), hn::BitCast(S16(), pairs), taps, sum, rest);
}
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

// The tap for both samples of a pair.
HWY_INLINE hn::VFromD<S16> tap_twice(int tap) {
  return hn::Set(S16(), static_cast<int16_t>(tap));
}

// The rows that contribute to one row of sums; index kMaxFilterRadius is the middle.
template <typename T>
using Columns = std::array<const T*, 2 * kMaxFilterRadius + 1>;

template <typename T>
Columns<T> columns_at(PlaneView<const T> plane, int y, int radius) {
  Columns<T> columns = {};
  for (int k = -radius; k <= radius; ++k) {
    columns[static_cast<size_t>(kMaxFilterRadius + k)] = plane.row(reflected(y + k, plane.height));
  }
  return columns;
}

HWY_INLINE hn::VFromD<U16> load(const uint16_t* in) {
  return hn::LoadU(U16(), in);
}
HWY_INLINE hn::VFromD<U16> load(const uint8_t* in) {
  return hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), in));
}

template <typename T>
HWY_INLINE const T* row_at(const Columns<T>& columns, int k) {
  return columns[static_cast<size_t>(kMaxFilterRadius + k)];
}

// 32-bit sums over rows, starting with `init`, of the signed or biased words that value(k) returns for the
// row at distance k. Returned in two vectors, as interleaving the words of two rows leaves them. The middle
// row is paired with itself, with half its tap: half of any tap fits 15 bits, as do the others.
template <WordFilter kFilter, class Value>
HWY_INLINE void sum_rows(uint32_t init, const Value& value, hn::VFromD<U32>& lower, hn::VFromD<U32>& upper) {
  auto first = start(init), second = first;
  auto first_rest = hn::Zero(S32()), second_rest = first_rest;
  const auto middle = value(0);
  const auto half_tap = tap_twice(kFilter.tap(0) / 2);
  add_products(hn::InterleaveLower(U16(), middle, middle), half_tap, first, first_rest);
  add_products(hn::InterleaveUpper(U16(), middle, middle), half_tap, second, second_rest);
  for (int k = 1; k <= kFilter.radius; ++k) {
    const auto above = value(-k), below = value(k);
    const auto tap = tap_twice(kFilter.tap(k));
    add_products(hn::InterleaveLower(U16(), above, below), tap, first, first_rest);
    add_products(hn::InterleaveUpper(U16(), above, below), tap, second, second_rest);
  }
  lower = total(first, first_rest, init);
  upper = total(second, second_rest, init);
}

// The lower and upper halves of the sums of sum_rows(), in the order of the words.
HWY_INLINE void split(hn::VFromD<U32> first, hn::VFromD<U32> second, hn::VFromD<U16>& low,
                      hn::VFromD<U16>& high) {
  alignas(16) static constexpr uint8_t kHalves[16] = {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
  const auto halves = hn::LoadDup128(U8(), kHalves);
  const auto a = hn::BitCast(U64(), hn::TableLookupBytes(hn::BitCast(U8(), first), halves));
  const auto b = hn::BitCast(U64(), hn::TableLookupBytes(hn::BitCast(U8(), second), halves));
  low = hn::BitCast(U16(), hn::InterleaveLower(U64(), a, b));
  high = hn::BitCast(U16(), hn::InterleaveUpper(U64(), a, b));
}

// The taps of two neighbours in a row as one 32-bit lane: of samples at the distances `first` and first + 1.
// A tap of more than 15 bits is stored less 2^16.
constexpr int32_t neighbour_taps(const WordFilter& filter, int first) {
  const auto tap = [&](int k) { return static_cast<uint32_t>(filter.tap(k)) & 0xFFFF; };
  const uint32_t low = -filter.radius <= first && first <= filter.radius ? tap(first) : 0;
  const uint32_t high = -filter.radius <= first + 1 && first + 1 <= filter.radius ? tap(first + 1) : 0;
  return static_cast<int32_t>(low | (high << 16));
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

}  // namespace HWY_NAMESPACE
}  // namespace vq
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif
