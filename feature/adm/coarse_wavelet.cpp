#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/adm/coarse_wavelet.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/adm/wavelet.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::adm {

void scalar::coarse_wavelet(const std::array<const int32_t*, 4>& in, const ScalePlan& plan,
                            const FilteredRows<int32_t>& scratch, const BandRow& out) {
  const int shift = plan.wavelet.vertical;
  for (int x = 0; x < plan.input_width; ++x) {
    int64_t low = half_unit(shift), high = low;
    for (size_t i = 0; i < in.size(); ++i) {
      low += int64_t{kLowTaps[i]} * in[i][x];
      high += int64_t{kHighTaps[i]} * in[i][x];
    }
    scratch.low[x] = static_cast<int32_t>(low >> shift);
    scratch.high[x] = static_cast<int32_t>(high >> shift);
  }
  filter_rows_horizontally(scratch, plan, out);
}

}  // namespace vq::adm
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::adm {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::coarse_wavelet;
#else

namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using U32 = hn::RebindToUnsigned<S32>;
using S64 = hn::Repartition<int64_t, S32>;
using U64 = hn::RebindToUnsigned<S64>;
using V32 = hn::VFromD<S32>;
using V64 = hn::VFromD<S64>;

HWY_INLINE V32 odd_lanes(V32 v) {
  return hn::BitCast(S32(), hn::ShiftRight<32>(hn::BitCast(U64(), v)));
}

// Of even lanes.
HWY_INLINE V64 add_products(V32 v0, V32 v1, V32 v2, V32 v3, const Taps& taps, V64 half) {
  const auto product = [&](V32 v, size_t i) HWY_ATTR { return hn::MulEven(v, hn::Set(S32(), taps[i])); };
  return hn::Add(hn::Add(hn::Add(product(v0, 0), product(v1, 1)), hn::Add(product(v2, 2), product(v3, 3))),
                 half);
}

// The 32 bits from bit `shift` on of sums in the even and in the odd lanes. Their bits above these are of no
// interest, so that shifts need not know of signs.
HWY_INLINE V32 narrowed(V64 even, V64 odd, int shift) {
  const auto low = hn::BitCast(S32(), hn::ShiftRightSame(hn::BitCast(U64(), even), shift));
  const auto high = hn::BitCast(S32(), hn::ShiftLeftSame(hn::BitCast(U64(), odd), 32 - shift));
  return hn::OddEven(high, low);
}

// The input of scale 1 is of 16 bits, and products with it are added up in 32.
template <bool kHigh>
HWY_INLINE void filter_small_vertically(const std::array<const int32_t*, 4>& in, int width,
                                        const FilteredRows<int32_t>& out) {
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(S32()))) {
    const V32 v0 = hn::LoadU(S32(), in[0] + x), v1 = hn::LoadU(S32(), in[1] + x);
    const V32 v2 = hn::LoadU(S32(), in[2] + x), v3 = hn::LoadU(S32(), in[3] + x);
    const auto filter_with = [&](const Taps& taps, int32_t* to) HWY_ATTR {
      const auto product = [&](V32 v, size_t i) HWY_ATTR { return hn::Mul(v, hn::Set(S32(), taps[i])); };
      hn::StoreU(hn::Add(hn::Add(product(v0, 0), product(v1, 1)), hn::Add(product(v2, 2), product(v3, 3))),
                 S32(), to + x);
    };
    filter_with(kLowTaps, out.low);
    if constexpr (kHigh) filter_with(kHighTaps, out.high);
  }
}

template <bool kHigh>
HWY_INLINE void filter_large_vertically(const std::array<const int32_t*, 4>& in, int width, int shift,
                                        const FilteredRows<int32_t>& out) {
  const V64 half = hn::Set(S64(), half_unit(shift));
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(S32()))) {
    const V32 v0 = hn::LoadU(S32(), in[0] + x), v1 = hn::LoadU(S32(), in[1] + x);
    const V32 v2 = hn::LoadU(S32(), in[2] + x), v3 = hn::LoadU(S32(), in[3] + x);
    const V32 odd0 = odd_lanes(v0), odd1 = odd_lanes(v1), odd2 = odd_lanes(v2), odd3 = odd_lanes(v3);
    const auto filter_with = [&](const Taps& taps, int32_t* to) HWY_ATTR {
      const V64 even = add_products(v0, v1, v2, v3, taps, half),
                odd = add_products(odd0, odd1, odd2, odd3, taps, half);
      hn::StoreU(narrowed(even, odd, shift), S32(), to + x);
    };
    filter_with(kLowTaps, out.low);
    if constexpr (kHigh) filter_with(kHighTaps, out.high);
  }
}

template <bool kHigh>
HWY_INLINE void filter_vertically(const std::array<const int32_t*, 4>& in, const ScalePlan& plan,
                                  const FilteredRows<int32_t>& out) {
  if (plan.wavelet.vertical == 0) {
    filter_small_vertically<kHigh>(in, plan.input_width, out);
  } else {
    filter_large_vertically<kHigh>(in, plan.input_width, plan.wavelet.vertical, out);
  }
}

// Every second column is in an even lane of a vector that begins there.
HWY_INLINE void filter_horizontally(const int32_t* row, const Taps& taps, int shift, Span columns,
                                    int32_t* out) {
  const hn::Rebind<uint32_t, U64> half_vector;
  const V64 half = hn::Set(S64(), half_unit(shift));
  for (int k = columns.first; k < columns.end; k += static_cast<int>(hn::Lanes(S64()))) {
    const int32_t* const first = row + 2 * k - 1;
    const V64 sum = add_products(hn::LoadU(S32(), first), hn::LoadU(S32(), first + 1),
                                 hn::LoadU(S32(), first + 2), hn::LoadU(S32(), first + 3), taps, half);
    const auto shifted = hn::ShiftRightSame(hn::BitCast(U64(), sum), shift);
    hn::StoreU(hn::TruncateTo(half_vector, shifted), half_vector, reinterpret_cast<uint32_t*>(out + k));
  }
}

void coarse_wavelet(const std::array<const int32_t*, 4>& in, const ScalePlan& plan,
                    const FilteredRows<int32_t>& scratch, const BandRow& out) {
  const bool has_detail = out.columns.size() > 0;
  if (has_detail) {
    filter_vertically<true>(in, plan, scratch);
  } else {
    filter_vertically<false>(in, plan, scratch);
  }
  const int shift = plan.wavelet.horizontal;
  extend_row(scratch.low, plan.input_width);
  if (out.a != nullptr) filter_horizontally(scratch.low, kLowTaps, shift, {0, plan.width}, out.a);
  if (!has_detail) return;
  extend_row(scratch.high, plan.input_width);
  filter_horizontally(scratch.high, kLowTaps, shift, out.columns, out.detail[0]);
  filter_horizontally(scratch.low, kHighTaps, shift, out.columns, out.detail[1]);
  filter_horizontally(scratch.high, kHighTaps, shift, out.columns, out.detail[2]);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::adm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vq::adm {
HWY_EXPORT(coarse_wavelet);

CoarseWavelet simd::coarse_wavelet_for(int64_t target) {
  return for_target(HWY_DISPATCH_TABLE(coarse_wavelet), target);
}

}  // namespace vq::adm
#endif  // HWY_ONCE
