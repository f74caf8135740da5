#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/motion/blurred_difference.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "feature/motion/stages.h"
#include "feature/simd_targets.h"
#include "feature/word_sums-inl.h"

#if HWY_ONCE
namespace vq::motion {
namespace {

// The weighted sum around a place, of what `at` returns for the distances -2..2 from there.
template <typename At>
int64_t blurred(const At& at) {
  int64_t sum = 0;
  for (int k = -kBlur.radius; k <= kBlur.radius; ++k) sum += int64_t{kBlur.tap(k)} * at(k);
  return sum;
}

int64_t rounded_shift(int64_t sum, int shift) {
  return (sum + (int64_t{1} << (shift - 1))) >> shift;
}

template <typename T>
uint64_t scalar_difference(PlaneView<const T> before, PlaneView<const T> now, int bit_depth, int32_t* row) {
  uint64_t total = 0;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const int64_t sum = blurred([&](int k) {
        const int place = reflected(y + k, now.height);
        return int32_t{before.row(place)[x]} - int32_t{now.row(place)[x]};
      });
      row[x] = static_cast<int32_t>(rounded_shift(sum, bit_depth));
    }
    reflect_ends(row, now.width, kBlur.radius);
    for (int x = 0; x < now.width; ++x) {
      total += static_cast<uint64_t>(std::abs(rounded_shift(blurred([&](int k) { return row[x + k]; }), 16)));
    }
  }
  return total;
}

}  // namespace

uint64_t scalar::blurred_difference(const Pictures& pictures, Rows& rows) {
  const auto& [before, now, bit_depth] = pictures;
  return now.is_u8() ? scalar_difference(before.u8, now.u8, bit_depth, rows.sums.row(0))
                     : scalar_difference(before.u16, now.u16, bit_depth, rows.sums.row(0));
}

}  // namespace vq::motion
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::motion {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::blurred_difference;
#else

using namespace vq::HWY_NAMESPACE;

// The vertical sums around x, rounded, of pictures of up to 15 bits: differences fit words.
template <typename T>
HWY_INLINE void sum_differences(const Columns<T>& before, const Columns<T>& now, int x, int bit_depth,
                                hn::VFromD<S32>& lower, hn::VFromD<S32>& upper) {
  hn::VFromD<U32> first, second;
  sum_rows<kBlur>(
      uint32_t{1} << (bit_depth - 1),
      [&](int k) HWY_ATTR { return hn::Sub(load(row_at(before, k) + x), load(row_at(now, k) + x)); }, first,
      second);
  lower = hn::ShiftRightSame(hn::BitCast(S32(), first), bit_depth);
  upper = hn::ShiftRightSame(hn::BitCast(S32(), second), bit_depth);
}

// a - b shifted right by 16 with rounding.
HWY_INLINE hn::VFromD<S32> upper_difference(hn::VFromD<U32> a, hn::VFromD<U32> b) {
  const auto low_word = hn::Set(U32(), 0xFFFF), half = hn::Set(U32(), 0x8000);
  const auto low = hn::Sub(hn::Add(hn::And(a, low_word), half), hn::And(b, low_word));
  const auto high = hn::Sub(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(hn::BitCast(S32(), high), hn::ShiftRight<16>(hn::BitCast(S32(), low)));
}

// The same, of pictures of 16 bits: their differences have 17, those of their sums 33.
HWY_INLINE void difference_of_sums(const Columns<uint16_t>& before, const Columns<uint16_t>& now, int x,
                                   hn::VFromD<S32>& lower, hn::VFromD<S32>& upper) {
  hn::VFromD<U32> first_before, second_before, first_now, second_now;
  sum_rows<kBlur>(
      kBias, [&](int k) HWY_ATTR { return biased(load(row_at(before, k) + x)); }, first_before,
      second_before);
  sum_rows<kBlur>(
      kBias, [&](int k) HWY_ATTR { return biased(load(row_at(now, k) + x)); }, first_now, second_now);
  lower = upper_difference(first_before, first_now);
  upper = upper_difference(second_before, second_now);
}

// In words: sums of 18 bits are 256 * high + low.
HWY_INLINE void store_parts(hn::VFromD<S32> lower, hn::VFromD<S32> upper, uint16_t* low, uint16_t* high) {
  const auto parts = [](hn::VFromD<S32> sums) HWY_ATTR {
    const auto v = hn::BitCast(U32(), sums);
    return hn::Or(hn::And(hn::ShiftLeft<8>(v), hn::Set(U32(), 0xFFFF0000)), hn::And(v, hn::Set(U32(), 0xFF)));
  };
  hn::VFromD<U16> low_words, high_words;
  split(parts(lower), parts(upper), low_words, high_words);
  hn::StoreU(low_words, U16(), low);
  hn::StoreU(high_words, U16(), high);
}

template <typename T>
void sum_row(const Columns<T>& before, const Columns<T>& now, int width, int bit_depth, Rows& rows) {
  uint16_t *const low = rows.words.row(0), *const high = rows.words.row(1);
  for_vectors(width, [&](int x) HWY_ATTR {
    hn::VFromD<S32> lower, upper;
    if constexpr (sizeof(T) == 1) {
      sum_differences(before, now, x, bit_depth, lower, upper);
    } else if (bit_depth < 16) {
      sum_differences(before, now, x, bit_depth, lower, upper);
    } else {
      difference_of_sums(before, now, x, lower, upper);
    }
    store_parts(lower, upper, low + x, high + x);
  });
  reflect_ends(low, width, kBlur.radius);
  reflect_ends(high, width, kBlur.radius);
}

// The magnitudes of the horizontal sums. Neither these nor what a row adds up to passes 31 bits.
uint64_t add_row(const Rows& rows, int width) {
  static_assert(int64_t{kMaxSide} * 65536 <= INT32_MAX);
  const S32 d;
  const int step = static_cast<int>(hn::Lanes(U16()));
  const auto magnitude = [](hn::VFromD<U32> low, hn::VFromD<U32> high) HWY_ATTR {
    const auto sum = hn::Add(hn::BitCast(S32(), high), hn::BitCast(S32(), hn::ShiftRight<8>(low)));
    return hn::Abs(hn::ShiftRight<8>(sum));
  };
  auto total_magnitude = hn::Zero(d);
  for (int x = 0; x < width; x += step) {
    hn::VFromD<U32> even_low, odd_low, even_high, odd_high;
    sum_neighbours<kBlur>(rows.words.row(0) + x, 0x8000, even_low, odd_low);
    sum_neighbours<kBlur>(rows.words.row(1) + x, 0, even_high, odd_high);
    const int count = std::min(step, width - x);
    const auto evens = hn::FirstN(d, static_cast<size_t>((count + 1) / 2)),
               odds = hn::FirstN(d, static_cast<size_t>(count / 2));
    total_magnitude = hn::Add(total_magnitude, hn::IfThenElseZero(evens, magnitude(even_low, even_high)));
    total_magnitude = hn::Add(total_magnitude, hn::IfThenElseZero(odds, magnitude(odd_low, odd_high)));
  }
  return static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(d, total_magnitude)));
}

template <typename T>
bool are_same(PlaneView<const T> a, PlaneView<const T> b) {
  return (a.data == b.data && a.stride == b.stride) || same_samples(a, b);
}

template <typename T>
uint64_t difference(PlaneView<const T> before, PlaneView<const T> now, int bit_depth, Rows& rows) {
  if (are_same(before, now)) return 0;
  uint64_t total_magnitude = 0;
  for (int y = 0; y < now.height; ++y) {
    sum_row(columns_at(before, y, kBlur.radius), columns_at(now, y, kBlur.radius), now.width, bit_depth,
            rows);
    total_magnitude += add_row(rows, now.width);
  }
  return total_magnitude;
}

uint64_t blurred_difference(const Pictures& pictures, Rows& rows) {
  const auto& [before, now, bit_depth] = pictures;
  if (now.width() < static_cast<int>(hn::Lanes(U16()))) return scalar::blurred_difference(pictures, rows);
  return now.is_u8() ? difference(before.u8, now.u8, bit_depth, rows)
                     : difference(before.u16, now.u16, bit_depth, rows);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::motion
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::motion {
HWY_EXPORT(blurred_difference);

BlurredDifference simd::blurred_difference_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(blurred_difference), target);
}

}  // namespace vq::motion
#endif  // HWY_ONCE
