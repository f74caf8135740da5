#define HWY_TARGET_INCLUDE "feature/adm/wavelet.cpp"
#include <hwy/foreach_target.h>

#include <hwy/cache_control.h>

#include "feature/adm/adm.h"
#include "feature/adm/words-inl.h"

#if HWY_ONCE
namespace vq::adm {

// The taps of the low filter add up to a little more than sqrt(2); subtracting half the range from samples
// centres its results.
template <typename T>
static void filter_vertically(PlaneView<const T> picture, int shift, int row, const ScalePlan& plan,
                              const FilteredRows<int16_t>& out) {
  const int depth = plan.wavelet.vertical;
  const int64_t half = half_unit(depth);
  for (int x = 0; x < plan.input_width; ++x) {
    int64_t low = half, high = half;
    for (int i = 0; i < 4; ++i) {
      const int64_t sample = picture.row(mirrored(2 * row - 1 + i, picture.height))[x];
      const int64_t centred = (sample << shift) - (int64_t{1} << (depth - 1));
      low += kLowTaps[static_cast<size_t>(i)] * centred;
      high += kHighTaps[static_cast<size_t>(i)] * centred;
    }
    out.low[x] = static_cast<int16_t>(low >> depth);
    out.high[x] = static_cast<int16_t>(high >> depth);
  }
}

void scalar::fine_wavelet(const Samples& picture, int row, const ScalePlan& plan,
                          const FilteredRows<int16_t>& scratch, const BandRow& out) {
  if (picture.view.is_u8()) {
    filter_vertically(picture.view.u8, picture.shift, row, plan, scratch);
  } else {
    filter_vertically(picture.view.u16, picture.shift, row, plan, scratch);
  }
  filter_rows_horizontally(scratch, plan, out);
}

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

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::adm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U16 = hn::Repartition<uint16_t, S32>;

// Two taps in each 32-bit lane, from the i-th on.
HWY_INLINE V16 tap_pair(const Taps& taps, size_t i) {
  const auto low = static_cast<uint32_t>(taps[i]) & 0xFFFF, high = static_cast<uint32_t>(taps[i + 1]);
  return hn::BitCast(S16(), hn::Set(U32(), (high << 16) | low));
}

// How far sums are shifted: by kShift, or if that is 0 by `shift`, which takes CPUs two operations.
template <int kShift>
HWY_INLINE V32 filtered(V16 first, V16 second, const Taps& taps, int shift = kShift) {
  const V32 half = hn::Set(S32(), static_cast<int32_t>(half_unit(shift)));
  const V32 sum = hn::Add(add_products(first, tap_pair(taps, 0)), add_products(second, tap_pair(taps, 2)));
  if constexpr (kShift > 0) return hn::ShiftRight<kShift>(hn::Add(sum, half));
  return hn::ShiftRightSame(hn::Add(sum, half), shift);
}

HWY_INLINE V16 load(const uint8_t* in) {
  return hn::BitCast(S16(), hn::PromoteTo(U16(), hn::LoadU(hn::Rebind<uint8_t, U16>(), in)));
}
HWY_INLINE V16 load(const uint16_t* in) { return hn::BitCast(S16(), hn::LoadU(U16(), in)); }

// Interleaves the samples of two rows in even columns, and those in odd ones.
HWY_INLINE V16 even_pairs(V16 upper, V16 lower) {
  return hn::OddEven(hn::BitCast(S16(), hn::ShiftLeft<16>(hn::BitCast(U32(), lower))), upper);
}
HWY_INLINE V16 odd_pairs(V16 upper, V16 lower) {
  return hn::OddEven(lower, hn::BitCast(S16(), hn::ShiftRight<16>(hn::BitCast(U32(), upper))));
}

// Rows of the picture have no guards: the last vector starts early, so that it ends with the row. kDepth is
// that of samples that are not shifted, or 0.
template <typename T, int kDepth>
class VerticalFilter {
 public:
  VerticalFilter(PlaneView<const T> picture, int shift, int row, const ScalePlan& plan)
      : below_(picture.row(std::min(2 * row + 3, picture.height - 1))),
        stride_(picture.stride),
        shift_(shift),
        depth_(plan.wavelet.vertical),
        width_(plan.input_width) {
    for (int i = 0; i < 4; ++i)
      rows_[static_cast<size_t>(i)] = picture.row(mirrored(2 * row - 1 + i, picture.height));
  }

  template <bool kHigh>
  HWY_INLINE void run(const FilteredRows<int16_t>& out) const {
    const int step = static_cast<int>(hn::Lanes(S16()));
    for (int x = 0; x + step < width_; x += step) {
      // The next row reads this first.
      hwy::Prefetch(below_ + x);
      hwy::Prefetch(below_ + stride_ + x);
      run_at<kHigh>(x, out);
    }
    run_at<kHigh>(width_ - step, out);
  }

 private:
  HWY_INLINE V16 centred(size_t i, int x) const {
    V16 samples = load(rows_[i] + x);
    if constexpr (kDepth == 0) samples = hn::ShiftLeftSame(samples, shift_);
    return hn::Sub(samples, hn::Set(S16(), static_cast<int16_t>(1U << (depth_ - 1))));
  }

  template <bool kHigh>
  HWY_INLINE void run_at(int x, const FilteredRows<int16_t>& out) const {
    const V16 s0 = centred(0, x), s1 = centred(1, x), s2 = centred(2, x), s3 = centred(3, x);
    const V16 even0 = even_pairs(s0, s1), even1 = even_pairs(s2, s3);
    const V16 odd0 = odd_pairs(s0, s1), odd1 = odd_pairs(s2, s3);
    const auto filter_with = [&](const Taps& taps, int16_t* to) HWY_ATTR {
      const V32 even = filtered<kDepth>(even0, even1, taps, depth_),
                odd = filtered<kDepth>(odd0, odd1, taps, depth_);
      hn::StoreU(hn::OddEven(hn::BitCast(S16(), hn::ShiftLeft<16>(odd)), hn::BitCast(S16(), even)), S16(),
                 to + x);
    };
    filter_with(kLowTaps, out.low);
    if constexpr (kHigh) filter_with(kHighTaps, out.high);
  }

  std::array<const T*, 4> rows_;
  const T* const below_;
  const ptrdiff_t stride_;
  const int shift_, depth_, width_;
};

template <int kDepth, typename T>
HWY_INLINE void filter_vertically(PlaneView<const T> picture, int shift, int row, const ScalePlan& plan,
                                  bool has_detail, const FilteredRows<int16_t>& out) {
  const VerticalFilter<T, kDepth> filter(picture, shift, row, plan);
  if (has_detail) {
    filter.template run<true>(out);
  } else {
    filter.template run<false>(out);
  }
}

// With the depths that most videos have known beforehand.
template <typename T>
HWY_INLINE void filter_vertically(PlaneView<const T> picture, int shift, int row, const ScalePlan& plan,
                                  bool has_detail, const FilteredRows<int16_t>& out) {
  constexpr int kUsualDepth = sizeof(T) == 1 ? 8 : 10;
  if (shift == 0 && plan.wavelet.vertical == kUsualDepth)
    return filter_vertically<kUsualDepth>(picture, shift, row, plan, has_detail, out);
  filter_vertically<0>(picture, shift, row, plan, has_detail, out);
}

constexpr int kHorizontalShift = 16;

HWY_INLINE void filter_horizontally(const int16_t* row, const Taps& taps, Span columns, int32_t* out) {
  for (int k = columns.first; k < columns.end; k += static_cast<int>(hn::Lanes(S32()))) {
    const V16 first = hn::LoadU(S16(), row + 2 * k - 1), second = hn::LoadU(S16(), row + 2 * k + 1);
    hn::StoreU(filtered<kHorizontalShift>(first, second, taps), S32(), out + k);
  }
}

void fine_wavelet(const Samples& picture, int row, const ScalePlan& plan,
                  const FilteredRows<int16_t>& scratch, const BandRow& out) {
  HWY_DASSERT(plan.wavelet.horizontal == kHorizontalShift);
  if (plan.input_width < static_cast<int>(hn::Lanes(S16()))) {
    return scalar::fine_wavelet(picture, row, plan, scratch, out);
  }
  const bool has_detail = out.columns.size() > 0;
  if (picture.view.is_u8()) {
    filter_vertically(picture.view.u8, picture.shift, row, plan, has_detail, scratch);
  } else {
    filter_vertically(picture.view.u16, picture.shift, row, plan, has_detail, scratch);
  }
  extend_row(scratch.low, plan.input_width);
  if (out.a != nullptr) filter_horizontally(scratch.low, kLowTaps, {0, plan.width}, out.a);
  if (!has_detail) return;
  extend_row(scratch.high, plan.input_width);
  filter_horizontally(scratch.high, kLowTaps, out.columns, out.detail[0]);
  filter_horizontally(scratch.low, kHighTaps, out.columns, out.detail[1]);
  filter_horizontally(scratch.high, kHighTaps, out.columns, out.detail[2]);
}

// Uses the even lanes.
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

}  // namespace vq::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::adm, fine_wavelet, coarse_wavelet)
#endif  // HWY_ONCE
