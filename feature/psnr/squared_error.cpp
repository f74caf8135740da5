#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/psnr/squared_error.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/psnr/psnr.h"

#if HWY_ONCE
namespace vq::psnr {

uint64_t scalar::squared_error(const Samples& a, const Samples& b) {
  return for_sample_types(a, b, [&](const auto& first, const auto& second) {
    uint64_t sum = 0;
    for (int y = 0; y < first.height; ++y) {
      const auto* const row_a = first.row(y);
      const auto* const row_b = second.row(y);
      for (int x = 0; x < first.width; ++x) {
        const int64_t difference =
            static_cast<uint16_t>(row_a[x] << a.shift) - static_cast<uint16_t>(row_b[x] << b.shift);
        sum += static_cast<uint64_t>(difference * difference);
      }
    }
    return sum;
  });
}

}  // namespace vq::psnr
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::psnr {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::squared_error;
#else

namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using S16 = hn::Repartition<int16_t, S32>;
using U16 = hn::Repartition<uint16_t, S32>;
using U8 = hn::Repartition<uint8_t, S32>;

// All sums are of products of two numbers of 8 bits. However they are spread over lanes, those of a row fit
// 31 bits.
static_assert(int64_t{kMaxSide} * 255 * 255 <= INT32_MAX);

HWY_INLINE void add_products(hn::VFromD<U16> a, hn::VFromD<U16> b, hn::VFromD<S32>& sum,
                             hn::VFromD<S32>& rest) {
  sum = hn::ReorderWidenMulAccumulate(S32(), hn::BitCast(S16(), a), hn::BitCast(S16(), b), sum, rest);
}
HWY_INLINE uint64_t total(hn::VFromD<S32> sum, hn::VFromD<S32> rest) {
  return static_cast<uint64_t>(hn::GetLane(hn::SumOfLanes(S32(), hn::Add(sum, rest))));
}

HWY_INLINE hn::VFromD<U16> low_bytes(hn::VFromD<U16> v) {
  return hn::And(v, hn::Set(U16(), 0xFF));
}
HWY_INLINE hn::VFromD<U16> high_bytes(hn::VFromD<U16> v) {
  return hn::ShiftRight<8>(v);
}

HWY_INLINE hn::VFromD<U16> load(const uint16_t* in, int shift) {
  return hn::ShiftLeftSame(hn::LoadU(U16(), in), shift);
}
HWY_INLINE hn::VFromD<U16> load(const uint8_t* in, int shift) {
  return hn::ShiftLeftSame(hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), in)), shift);
}

template <class V>
HWY_INLINE V absolute_difference(V a, V b) {
  return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

// How far ahead samples are fetched, in bytes: the processor's own prefetching starts anew at each page of a
// plane, and waits for memory there.
constexpr int kAhead = 2048;

template <typename T>
HWY_INLINE void fetch_ahead(const T* in) {
  hwy::Prefetch(reinterpret_cast<const uint8_t*>(in) + kAhead);
}

// Hands the absolute differences of a row to `add`, a vector at a time. Rows have no guards: the last vector
// starts early, so that it ends with the row, and what it has in common with the one before is set to 0.
// Needs: a row of a vector or more.
template <class D, class Differences, class Add>
HWY_INLINE void for_row(D d, int width, const Differences& differences, const Add& add) {
  const int step = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + step <= width; x += step) add(differences(x));
  if (x == width) return;
  const auto seen = hn::FirstN(d, static_cast<size_t>(x + step - width));
  add(hn::IfThenZeroElse(seen, differences(width - step)));
}

uint64_t row_of_bytes(const uint8_t* a, const uint8_t* b, int width) {
  auto even = hn::Zero(S32()), more_even = even, odd = even, more_odd = even;
  for_row(
      U8(), width,
      [&](int x) HWY_ATTR {
        fetch_ahead(a + x);
        fetch_ahead(b + x);
        return absolute_difference(hn::LoadU(U8(), a + x), hn::LoadU(U8(), b + x));
      },
      [&](hn::VFromD<U8> differences) HWY_ATTR {
        const auto pairs = hn::BitCast(U16(), differences);
        add_products(low_bytes(pairs), low_bytes(pairs), even, more_even);
        add_products(high_bytes(pairs), high_bytes(pairs), odd, more_odd);
      });
  return total(even, more_even) + total(odd, more_odd);
}

// Each difference is 256 * high + low.
template <typename A, typename B>
uint64_t row_of_words(const A* a, int shift_a, const B* b, int shift_b, int width) {
  auto low = hn::Zero(S32()), more_low = low, mixed = low, more_mixed = low, high = low, more_high = low;
  for_row(
      U16(), width,
      [&](int x) HWY_ATTR {
        fetch_ahead(a + x);
        fetch_ahead(b + x);
        return absolute_difference(load(a + x, shift_a), load(b + x, shift_b));
      },
      [&](hn::VFromD<U16> differences) HWY_ATTR {
        const auto lower = low_bytes(differences), upper = high_bytes(differences);
        add_products(lower, lower, low, more_low);
        add_products(lower, upper, mixed, more_mixed);
        add_products(upper, upper, high, more_high);
      });
  return total(low, more_low) + (total(mixed, more_mixed) << 9) + (total(high, more_high) << 16);
}

uint64_t squared_error(const Samples& a, const Samples& b) {
  if (a.view.width() < static_cast<int>(hn::Lanes(U8()))) return scalar::squared_error(a, b);
  return for_sample_types(a, b, [&](const auto& first, const auto& second) {
    constexpr bool kAreBytes = sizeof(*first.data) == 1 && sizeof(*second.data) == 1;
    uint64_t sum = 0;
    if constexpr (kAreBytes) {
      if (a.shift == b.shift) {
        for (int y = 0; y < first.height; ++y) sum += row_of_bytes(first.row(y), second.row(y), first.width);
        return sum << (2 * a.shift);
      }
    }
    for (int y = 0; y < first.height; ++y) {
      sum += row_of_words(first.row(y), a.shift, second.row(y), b.shift, first.width);
    }
    return sum;
  });
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::psnr
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_DISPATCH(vq::psnr, squared_error)
#endif  // HWY_ONCE
