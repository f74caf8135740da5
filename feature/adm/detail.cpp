#define HWY_TARGET_INCLUDE "feature/adm/detail.cpp"
#include <hwy/foreach_target.h>

#include <cstdlib>

#include "feature/adm/adm.h"
#include "feature/adm/words-inl.h"

#ifndef VQ_ADM_DETAIL_ONCE
#define VQ_ADM_DETAIL_ONCE
namespace vq::adm {

// A weighted coefficient counts 1/30 for its neighbours, and 1/15 for itself.
constexpr int kFineSide = 4369, kFineCentre = 8738, kFineShareBits = 12;  // of 2^17
constexpr uint32_t kCoarseSide = 143165577, kCoarseCentre = 286331153;    // of 2^32
// A constant that was to round, and does not fit its variable in the reference: it turns negative.
constexpr int64_t kCoarseRounding = -(int64_t{1} << 31);

// Weighted coefficients of the finest scale have so many bits cut off; what is added before is half of that,
// but for d.
struct FineCut {
  int shift = 0;
  int32_t rounding = 0;
};
constexpr PerBand<FineCut> kFineCuts = {{{15, 1 << 14}, {15, 1 << 14}, {17, (1 << 16) - 1}}};
constexpr int kCoarseCut = 28;

// Continues a row by the neighbours that its ends lack, if it reaches these.
inline void extend_sides(const ScalePlan& plan, int32_t* side) {
  if (plan.masking_columns.first == 0) side[-1] = side[1];
  if (plan.masking_columns.end == plan.width) side[plan.width] = side[plan.width - 1];
}

// The square of the cosine of one degree, rounded to float.
constexpr double kSquaredCosine = 16772106.0 / (1 << 24);

// Quotients of coefficients are of 15 bits after the point, and made from reciprocals of 30.
constexpr int kRatioBits = 15, kReciprocalBits = 30;
constexpr int64_t kOne = int64_t{1} << kRatioBits;

void scalar::fine_weigh(const ScalePlan& plan, const PartRow& part) {
  for (int x = plan.masking_columns.first; x < plan.masking_columns.end; ++x) {
    part.side[x] = part.centre[x] = 0;
    for (size_t i = 0; i < kBands; ++i) {
      const auto weighted = static_cast<int32_t>(plan.factors[i]) * part.signal[i][x];
      const auto [shift, rounding] = kFineCuts[i];
      const int32_t size = std::abs(int32_t{static_cast<int16_t>((weighted + rounding) >> shift)});
      constexpr int32_t kHalf = 1 << (kFineShareBits - 1);
      part.side[x] += static_cast<int16_t>((kFineSide * size + kHalf) >> kFineShareBits);
      part.centre[x] += static_cast<int16_t>((kFineCentre * size + kHalf) >> kFineShareBits);
      part.signal[i][x] = weighted;
    }
  }
  extend_sides(plan, part.side);
}

void scalar::coarse_weigh(const ScalePlan& plan, const PartRow& part) {
  for (int x = plan.masking_columns.first; x < plan.masking_columns.end; ++x) {
    int64_t side = 0, centre = 0;
    for (size_t i = 0; i < kBands; ++i) {
      const int64_t product = int64_t{plan.factors[i]} * part.signal[i][x];
      const auto weighted = static_cast<int32_t>((product + (1 << (kCoarseCut - 1))) >> kCoarseCut);
      const int64_t size = std::abs(int64_t{weighted});
      side += (kCoarseSide * size + kCoarseRounding) >> 32;
      centre += (kCoarseCentre * size + kCoarseRounding) >> 32;
      part.signal[i][x] = weighted;
    }
    part.side[x] = static_cast<int32_t>(side);
    part.centre[x] = static_cast<int32_t>(centre);
  }
  extend_sides(plan, part.side);
}

static int32_t wrapped(uint32_t value) { return static_cast<int32_t>(value); }

// The threshold below which the detail around x hides.
static uint32_t threshold_at(const MaskerRows& masker, int x) {
  uint32_t sum = 0;
  for (const int32_t* row : {masker.above, masker.here, masker.below}) {
    for (int k = x - 1; k <= x + 1; ++k) sum += static_cast<uint32_t>(row[k]);
  }
  return sum - static_cast<uint32_t>(masker.here[x]) + static_cast<uint32_t>(masker.centre[x]);
}

static int64_t masked_cube(int64_t excess, const MaskedShifts& shifts) {
  const auto square = static_cast<int32_t>((excess * excess + half_unit(shifts.square)) >> shifts.square);
  return (square * excess + half_unit(shifts.cube)) >> shifts.cube;
}

PerBand<uint64_t> scalar::reference_cubes(const DetailRow& reference, const ScalePlan& plan) {
  const ReferenceShifts& shifts = plan.reference;
  const auto half = static_cast<uint64_t>(half_unit(shifts.cube));
  PerBand<uint64_t> sums = {};
  for (size_t i = 0; i < kBands; ++i) {
    for (int x = plan.columns.first; x < plan.columns.end; ++x) {
      const auto size = static_cast<uint64_t>(std::abs(int64_t{reference[i][x]}));
      sums[i] += (((size * size + shifts.square_bias) >> shifts.square) * size + half) >> shifts.cube;
    }
  }
  return sums;
}

PerBand<int64_t> scalar::masked_cubes(const DetailRow& signal, const MaskerRows& masker,
                                      const ScalePlan& plan) {
  PerBand<uint64_t> sums = {};
  for (int x = plan.columns.first; x < plan.columns.end; ++x) {
    const uint32_t threshold = threshold_at(masker, x);
    for (size_t i = 0; i < kBands; ++i) {
      const MaskedShifts& shifts = plan.masked[i];
      const auto size = static_cast<uint32_t>(std::abs(int64_t{signal[i][x]}));
      const int32_t excess = std::max(wrapped(size - (threshold << shifts.threshold)), 0);
      sums[i] += static_cast<uint64_t>(masked_cube(excess, shifts));
    }
  }
  PerBand<int64_t> wrapped_sums;
  for (size_t i = 0; i < kBands; ++i) wrapped_sums[i] = static_cast<int64_t>(sums[i]);
  return wrapped_sums;
}

// distorted / reference, limited to 0..1. Of a reference of more than 15 bits the leading 15 count.
static int64_t ratio(int64_t reference, int64_t distorted) {
  const auto size = static_cast<uint64_t>(std::abs(reference));
  const int shift = std::max(static_cast<int>(std::bit_width(size)) - kRatioBits, 0);
  const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
  const auto reciprocal = static_cast<int64_t>((uint64_t{1} << kReciprocalBits) / ((size + half) >> shift));
  const int64_t product = reciprocal * (reference < 0 ? -distorted : distorted);
  return std::clamp((product + (int64_t{1} << (kRatioBits - 1 + shift))) >> (kRatioBits + shift), int64_t{0},
                    kOne);
}

static int32_t restored_part(int64_t reference, int64_t distorted, bool aligned, double gain_limit) {
  if (reference == 0) return 0;
  const int64_t part = (ratio(reference, distorted) * reference + kOne / 2) >> kRatioBits;
  if (!aligned) return static_cast<int32_t>(part);
  const auto limited = static_cast<int64_t>(
      std::min(static_cast<double>(std::abs(part)) * gain_limit, static_cast<double>(std::abs(distorted))));
  return static_cast<int32_t>(reference < 0 ? -limited : limited);
}

static double as_float(int64_t sum) { return static_cast<float>(sum); }

bool is_aligned(PerBand<int32_t> reference, PerBand<int32_t> distorted) {
  const int64_t oh = reference[0], ov = reference[1], th = distorted[0], tv = distorted[1];
  const double product = as_float(oh * th + ov * tv);
  return product >= 0 &&
         product * product >= kSquaredCosine * as_float(oh * oh + ov * ov) * as_float(th * th + tv * tv);
}

void scalar::decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
                      const PartRow& restored, const PartRow& added) {
  for (int x = plan.masking_columns.first; x < plan.masking_columns.end; ++x) {
    const bool aligned = is_aligned({reference[0][x], reference[1][x]}, {distorted[0][x], distorted[1][x]});
    for (size_t i = 0; i < kBands; ++i) {
      const int32_t part = restored_part(reference[i][x], distorted[i][x], aligned, plan.gain_limit);
      restored.signal[i][x] = part;
      added.signal[i][x] = distorted[i][x] - part;
    }
  }
}

}  // namespace vq::adm
#endif  // VQ_ADM_DETAIL_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::adm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A product shifted right with rounding, and cut to a signed word.
template <int kBits>
HWY_INLINE V32 fine_share(V32 product) {
  return low_products<1>(hn::ShiftRight<kBits>(hn::Add(product, hn::Set(S32(), 1 << (kBits - 1)))));
}

void fine_weigh(const ScalePlan& plan, const PartRow& part) {
  for (int x = plan.masking_columns.first; x < plan.masking_columns.end;
       x += static_cast<int>(hn::Lanes(S32()))) {
    V32 side = hn::Zero(S32()), centre = side;
    for (size_t i = 0; i < kBands; ++i) {
      const V32 factor = hn::Set(S32(), static_cast<int32_t>(plan.factors[i]));
      const V32 weighted = hn::Mul(hn::LoadU(S32(), part.signal[i] + x), factor);
      const V32 cut =
          hn::ShiftRightSame(hn::Add(weighted, hn::Set(S32(), kFineCuts[i].rounding)), kFineCuts[i].shift);
      const V32 product = hn::Abs(low_products<kFineSide>(cut));
      side = hn::Add(side, fine_share<kFineShareBits>(product));
      static_assert(kFineCentre == 2 * kFineSide);
      centre = hn::Add(centre, fine_share<kFineShareBits - 1>(product));
      hn::StoreU(weighted, S32(), part.signal[i] + x);
    }
    hn::StoreU(side, S32(), part.side + x);
    hn::StoreU(centre, S32(), part.centre + x);
  }
  extend_sides(plan, part.side);
}

// Factors of 32 bits are taken for signed ones, 2^32 too small: `missing` has all bits set if that is so.
HWY_INLINE V32 coarse_weighted(V32 v, V32 factor, V32 missing) {
  const auto half = hn::Set(S64(), int64_t{1} << (kCoarseCut - 1));
  const auto even = hn::Add(hn::MulEven(v, factor), half),
             odd = hn::Add(hn::MulEven(odd_lanes(v), factor), half);
  const auto low = hn::ShiftRight<kCoarseCut>(hn::BitCast(U64(), even));
  const auto high = hn::ShiftLeft<32 - kCoarseCut>(hn::BitCast(U64(), odd));
  const V32 cut = hn::OddEven(hn::BitCast(S32(), high), hn::BitCast(S32(), low));
  return hn::Add(cut, hn::And(hn::ShiftLeft<32 - kCoarseCut>(v), missing));
}

// The upper halves of products, rounded by adding 2^31: one more than with the constant of the reference.
HWY_INLINE V32 coarse_share_and_1(V32 size, uint32_t share) {
  const auto factor = hn::Set(U32(), share);
  const auto half = hn::Set(U64(), static_cast<uint64_t>(-kCoarseRounding));
  const auto even = hn::Add(hn::MulEven(hn::BitCast(U32(), size), factor), half);
  const auto odd = hn::Add(hn::MulEven(hn::BitCast(U32(), odd_lanes(size)), factor), half);
  return hn::OddEven(hn::BitCast(S32(), odd), odd_lanes(hn::BitCast(S32(), even)));
}

void coarse_weigh(const ScalePlan& plan, const PartRow& part) {
  for (int x = plan.masking_columns.first; x < plan.masking_columns.end;
       x += static_cast<int>(hn::Lanes(S32()))) {
    V32 side = hn::Set(S32(), -static_cast<int>(kBands)), centre = side;
    for (size_t i = 0; i < kBands; ++i) {
      const V32 factor = hn::BitCast(S32(), hn::Set(U32(), plan.factors[i]));
      const V32 weighted =
          coarse_weighted(hn::LoadU(S32(), part.signal[i] + x), factor, hn::BroadcastSignBit(factor));
      const V32 size = hn::Abs(weighted);
      side = hn::Add(side, coarse_share_and_1(size, kCoarseSide));
      centre = hn::Add(centre, coarse_share_and_1(size, kCoarseCentre));
      hn::StoreU(weighted, S32(), part.signal[i] + x);
    }
    hn::StoreU(side, S32(), part.side + x);
    hn::StoreU(centre, S32(), part.centre + x);
  }
  extend_sides(plan, part.side);
}

using VU64 = hn::VFromD<U64>;

// The lanes from x on that are before `end`; 0 in the others.
HWY_INLINE V32 up_to(V32 v, int x, int end) {
  if (HWY_LIKELY(x + static_cast<int>(hn::Lanes(S32())) <= end)) return v;
  return hn::IfThenElseZero(hn::FirstN(S32(), static_cast<size_t>(end - x)), v);
}

// Shifts by a number of bits that is in each lane take CPUs with AVX-512 one operation, others two.
template <class D>
HWY_INLINE hn::VFromD<D> shifted_right(D d, hn::VFromD<D> v, int bits) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Shr(v, hn::Set(d, static_cast<hn::TFromD<D> >(bits)));
#else
  (void)d;
  return hn::ShiftRightSame(v, bits);
#endif
}

// Uses the even lanes, which hold numbers of 31 bits.
HWY_INLINE VU64 reference_cube(V32 size, const ReferenceShifts& shifts) {
  const auto square =
      hn::Add(hn::BitCast(U64(), hn::MulEven(size, size)), hn::Set(U64(), shifts.square_bias));
  const auto shifted = hn::BitCast(S32(), shifted_right(U64(), square, shifts.square));
  const auto half = hn::Set(S64(), half_unit(shifts.cube));
  return shifted_right(U64(), hn::BitCast(U64(), hn::Add(hn::MulEven(shifted, size), half)), shifts.cube);
}

PerBand<uint64_t> reference_cubes(const DetailRow& reference, const ScalePlan& plan) {
  PerBand<uint64_t> sums;
  const Span columns = plan.columns;
  for (size_t i = 0; i < kBands; ++i) {
    VU64 even = hn::Zero(U64()), odd = even;
    for (int x = columns.first; x < columns.end; x += static_cast<int>(hn::Lanes(S32()))) {
      const V32 size = up_to(hn::Abs(hn::LoadU(S32(), reference[i] + x)), x, columns.end);
      even = hn::Add(even, reference_cube(size, plan.reference));
      odd = hn::Add(odd, reference_cube(odd_lanes(size), plan.reference));
    }
    sums[i] = hn::GetLane(hn::SumOfLanes(U64(), hn::Add(even, odd)));
  }
  return sums;
}

// Uses the even lanes.
HWY_INLINE V64 masked_cube(V32 excess, const MaskedShifts& shifts) {
  const auto half_square = hn::Set(S64(), half_unit(shifts.square)),
             half = hn::Set(S64(), half_unit(shifts.cube));
  const auto square = hn::BitCast(U64(), hn::Add(hn::MulEven(excess, excess), half_square));
  // Their lower halves are what 32 bits hold of them.
  const auto shifted = hn::BitCast(S32(), shifted_right(U64(), square, shifts.square));
  return shifted_right(S64(), hn::Add(hn::MulEven(shifted, excess), half), shifts.cube);
}

HWY_INLINE V32 sum_of_three(const int32_t* row) {
  return hn::Add(hn::LoadU(S32(), row - 1), hn::Add(hn::LoadU(S32(), row), hn::LoadU(S32(), row + 1)));
}

HWY_INLINE V32 thresholds(const MaskerRows& masker, int x) {
  const V32 rows = hn::Add(sum_of_three(masker.above + x),
                           hn::Add(sum_of_three(masker.here + x), sum_of_three(masker.below + x)));
  return hn::Add(rows, hn::Sub(hn::LoadU(S32(), masker.centre + x), hn::LoadU(S32(), masker.here + x)));
}

PerBand<int64_t> masked_cubes(const DetailRow& signal, const MaskerRows& masker, const ScalePlan& plan) {
  HWY_DASSERT(plan.masked[0].threshold == plan.masked[1].threshold);
  const Span columns = plan.columns;
  V64 h = hn::Zero(S64()), v = h, d = h;
  for (int x = columns.first; x < columns.end; x += static_cast<int>(hn::Lanes(S32()))) {
    const V32 threshold = thresholds(masker, x);
    const V32 straight = hn::ShiftLeftSame(threshold, plan.masked[0].threshold),
              diagonal = hn::ShiftLeftSame(threshold, plan.masked[2].threshold);
    const auto add = [&](size_t i, V32 hidden, V64& sum) HWY_ATTR {
      const MaskedShifts& shifts = plan.masked[i];
      const V32 above = up_to(hn::Sub(hn::Abs(hn::LoadU(S32(), signal[i] + x)), hidden), x, columns.end);
      const auto is_seen = hn::Gt(above, hn::Zero(S32()));
      // Often everything is masked.
      if (hn::AllFalse(S32(), is_seen)) return;
      const V32 excess = hn::IfThenElseZero(is_seen, above);
      sum = hn::Add(sum, hn::Add(masked_cube(excess, shifts), masked_cube(odd_lanes(excess), shifts)));
    };
    add(0, straight, h);
    add(1, straight, v);
    add(2, diagonal, d);
  }
  const auto total = [](V64 sum) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(S64(), sum)); };
  return {total(h), total(v), total(d)};
}

#if HWY_HAVE_FLOAT64

using F64 = hn::ScalableTag<double>;
using F32 = hn::RebindToFloat<S32>;
using HalfS32 = hn::Rebind<int32_t, F64>;  // as many lanes as doubles
using VF64 = hn::VFromD<F64>;
using VHalf = hn::VFromD<HalfS32>;
template <class D>
using MaskOf = decltype(hn::FirstN(D(), 0));

// Whether vectors are aligned, but for those so near to one degree that only exact arithmetic can tell; the
// margin is `share` of what is compared and more than all roundings together.
template <class D, class V = hn::VFromD<D> >
HWY_INLINE MaskOf<D> is_nearly_aligned(D d, V oh, V ov, V th, V tv, hn::TFromD<D> share, MaskOf<D>& unsure) {
  const V product = hn::Add(hn::Mul(oh, th), hn::Mul(ov, tv));
  const V o = hn::Add(hn::Mul(oh, oh), hn::Mul(ov, ov)), t = hn::Add(hn::Mul(th, th), hn::Mul(tv, tv));
  const V square = hn::Mul(product, product);
  const V limit = hn::Mul(hn::Mul(hn::Set(d, static_cast<hn::TFromD<D> >(kSquaredCosine)), o), t);
  unsure = hn::Lt(hn::Abs(hn::Sub(square, limit)), hn::Mul(limit, hn::Set(d, share)));
  return hn::And(hn::Ge(product, hn::Zero(d)), hn::Ge(square, limit));
}

// The same one by one, from x on and before `end`.
template <class D>
HWY_INLINE MaskOf<D> exactly_aligned(D d, const DetailRow& reference, const DetailRow& distorted, int x,
                                     int end) {
  hn::TFromD<D> flags[kRowGuardBytes / sizeof(hn::TFromD<D>)] = {};
  for (int i = 0; i < std::min(static_cast<int>(hn::Lanes(d)), end - x); ++i) {
    const int k = x + i;
    const bool aligned = is_aligned({reference[0][k], reference[1][k]}, {distorted[0][k], distorted[1][k]});
    flags[i] = aligned ? 1 : 0;
  }
  return hn::Gt(hn::LoadU(d, flags), hn::Zero(d));
}

// min(|part| * gain_limit, |distorted|), to be truncated. The product is one of doubles.
HWY_INLINE VF64 limited(VF64 part, VF64 distorted, VF64 gain_limit) {
  return hn::Min(hn::Mul(hn::Abs(part), gain_limit), hn::Abs(distorted));
}

HWY_INLINE VF64 lower_half(V32 v) { return hn::PromoteTo(F64(), hn::LowerHalf(HalfS32(), v)); }
HWY_INLINE VF64 upper_half(V32 v) { return hn::PromoteTo(F64(), hn::UpperHalf(HalfS32(), v)); }
// The limit of coefficients of 16 bits. Limits are nearly always whole numbers, whose products fit 32 bits.
struct WholeLimit {
  int32_t gain = 0;
};
HWY_INLINE V32 limited(V32 part, V32 distorted, WholeLimit limit) {
  return hn::Min(hn::Mul(hn::Abs(part), hn::Set(S32(), limit.gain)), hn::Abs(distorted));
}
struct AnyLimit {
  double gain = 0;
};
HWY_INLINE V32 limited(V32 part, V32 distorted, AnyLimit limit) {
  const VF64 gain_limit = hn::Set(F64(), limit.gain);
  const VHalf lower = hn::DemoteTo(HalfS32(), limited(lower_half(part), lower_half(distorted), gain_limit));
  const VHalf upper = hn::DemoteTo(HalfS32(), limited(upper_half(part), upper_half(distorted), gain_limit));
  return hn::Combine(S32(), upper, lower);
}

// The ratio of coefficients of at most 15 bits, limited to 0..1.
//
// The float quotient 2^30 / |o|, truncated, is the reciprocal or, from 64 on, one more. Below it has errors
// of up to 2^-25 of its size, which change no ratio: t / o in units of 2^-16 is then far enough from a point
// where rounding changes.
HWY_INLINE V32 fine_ratio(V32 reference, V32 distorted) {
  const V32 size = hn::Max(hn::Abs(reference), hn::Set(S32(), 1));
  const V32 one = hn::Set(S32(), 1 << kReciprocalBits);
  const V32 quotient = hn::ConvertTo(S32(), hn::Div(hn::ConvertTo(F32(), one), hn::ConvertTo(F32(), size)));
  const V32 reciprocal = hn::Add(quotient, hn::BroadcastSignBit(hn::Sub(one, hn::Mul(quotient, size))));
  // Opposite signs give 0, and what is larger than the reference gives 1; then products fit 32 bits.
  const V32 same_sign = hn::AndNot(hn::BroadcastSignBit(hn::Xor(reference, distorted)), hn::Abs(distorted));
  const V32 numerator = hn::Min(same_sign, hn::Add(size, hn::Set(S32(), 1)));
  const auto product = hn::Add(hn::BitCast(U32(), hn::Mul(reciprocal, numerator)), hn::Set(U32(), kOne / 2));
  return hn::Min(hn::BitCast(S32(), hn::ShiftRight<kRatioBits>(product)), hn::Set(S32(), kOne));
}

template <class Limit>
HWY_INLINE V32 fine_part(V32 reference, V32 distorted, MaskOf<S32> aligned, Limit limit) {
  const V32 product = hn::Mul(fine_ratio(reference, distorted), reference);
  const V32 part = hn::ShiftRight<kRatioBits>(hn::Add(product, hn::Set(S32(), kOne / 2)));
  const V32 sign = hn::BroadcastSignBit(reference);
  const V32 strengthened = hn::Sub(hn::Xor(limited(part, distorted, limit), sign), sign);
  return hn::IfThenElse(aligned, strengthened, part);
}

HWY_INLINE MaskOf<F32> fine_aligned(const DetailRow& reference, const DetailRow& distorted, int x, int end) {
  const auto load = [&](const int32_t* row)
                        HWY_ATTR { return hn::ConvertTo(F32(), hn::LoadU(S32(), row + x)); };
  MaskOf<F32> unsure;
  const auto aligned = is_nearly_aligned(F32(), load(reference[0]), load(reference[1]), load(distorted[0]),
                                         load(distorted[1]), 0x1p-18F, unsure);
  if (HWY_LIKELY(hn::AllFalse(F32(), unsure))) return aligned;
  return exactly_aligned(F32(), reference, distorted, x, end);
}

template <class Limit>
void fine_decouple_to(const DetailRow& reference, const DetailRow& distorted, Span columns, Limit limit,
                      const PartRow& restored, const PartRow& added) {
  const int step = static_cast<int>(hn::Lanes(S32()));
  for (int x = columns.first; x < columns.end; x += step) {
    const auto aligned = hn::RebindMask(S32(), fine_aligned(reference, distorted, x, columns.end));
    for (size_t i = 0; i < kBands; ++i) {
      const V32 o = hn::LoadU(S32(), reference[i] + x), t = hn::LoadU(S32(), distorted[i] + x);
      const V32 part = fine_part(o, t, aligned, limit);
      hn::StoreU(part, S32(), restored.signal[i] + x);
      hn::StoreU(hn::Sub(t, part), S32(), added.signal[i] + x);
    }
  }
}

void fine_decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
                   const PartRow& restored, const PartRow& added) {
  const auto whole = static_cast<int32_t>(plan.gain_limit);
  if (plan.gain_limit == whole)
    return fine_decouple_to(reference, distorted, plan.masking_columns, WholeLimit{whole}, restored, added);
  fine_decouple_to(reference, distorted, plan.masking_columns, AnyLimit{plan.gain_limit}, restored, added);
}

// The ratio in doubles, which all its numbers below 2^53 are exact in; those above are larger than 1. In
// units of its step.
HWY_INLINE VF64 coarse_ratio(VF64 reference, VF64 distorted) {
  constexpr int kMantissa = 52;
  const VF64 size = hn::Max(hn::Abs(reference), hn::Set(F64(), 1));
  // The leading 15 bits, rounded: smaller numbers have no others.
  constexpr uint64_t kCut = uint64_t{1} << (kMantissa - (kRatioBits - 1));
  const auto rounded = hn::Add(hn::BitCast(U64(), size), hn::Set(U64(), kCut / 2));
  const VF64 leading = hn::BitCast(F64(), hn::AndNot(hn::Set(U64(), kCut - 1), rounded));
  // 2^-shift, if 2^(14 + shift) is the highest power in the size, or 1 if that is below: a difference of
  // exponents.
  const auto power = hn::And(hn::BitCast(U64(), hn::Max(size, hn::Set(F64(), kOne / 2))),
                             hn::Set(U64(), uint64_t{0x7FF} << kMantissa));
  constexpr uint64_t kExponents = (2 * uint64_t{1023} + (kRatioBits - 1)) << kMantissa;
  const VF64 scale = hn::BitCast(F64(), hn::Sub(hn::Set(U64(), kExponents), power));
  const VF64 reciprocal = hn::Floor(hn::Div(hn::Set(F64(), 1 << kReciprocalBits), hn::Mul(leading, scale)));
  // Negative if signs differ.
  const VF64 numerator = hn::Xor(distorted, hn::And(reference, hn::SignBit(F64())));
  const VF64 product = hn::Mul(hn::Mul(reciprocal, numerator), hn::Mul(scale, hn::Set(F64(), 1.0 / kOne)));
  const VF64 ratio = hn::Floor(hn::Add(product, hn::Set(F64(), 0.5)));
  return hn::Min(hn::Max(ratio, hn::Zero(F64())), hn::Set(F64(), kOne));
}

HWY_INLINE VF64 coarse_part(VF64 reference, VF64 distorted, MaskOf<F64> aligned, VF64 gain_limit) {
  const VF64 share = hn::Mul(coarse_ratio(reference, distorted), hn::Set(F64(), 1.0 / kOne));
  const VF64 part = hn::Floor(hn::Add(hn::Mul(share, reference), hn::Set(F64(), 0.5)));
  const VF64 strengthened = hn::CopySign(hn::Trunc(limited(part, distorted, gain_limit)), reference);
  return hn::IfThenElse(aligned, strengthened, part);
}

HWY_INLINE VF64 load_double(const int32_t* in) { return hn::PromoteTo(F64(), hn::LoadU(HalfS32(), in)); }

HWY_INLINE MaskOf<F64> coarse_aligned(const DetailRow& reference, const DetailRow& distorted, int x,
                                      int end) {
  MaskOf<F64> unsure;
  const auto aligned =
      is_nearly_aligned(F64(), load_double(reference[0] + x), load_double(reference[1] + x),
                        load_double(distorted[0] + x), load_double(distorted[1] + x), 0x1p-20, unsure);
  if (HWY_LIKELY(hn::AllFalse(F64(), unsure))) return aligned;
  return exactly_aligned(F64(), reference, distorted, x, end);
}

void coarse_decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
                     const PartRow& restored, const PartRow& added) {
  const VF64 gain_limit = hn::Set(F64(), plan.gain_limit);
  const int step = static_cast<int>(hn::Lanes(F64()));
  const Span columns = plan.masking_columns;
  for (int x = columns.first; x < columns.end; x += step) {
    const auto aligned = coarse_aligned(reference, distorted, x, columns.end);
    for (size_t i = 0; i < kBands; ++i) {
      const VF64 o = load_double(reference[i] + x), t = load_double(distorted[i] + x);
      const VF64 part = coarse_part(o, t, aligned, gain_limit);
      hn::StoreU(hn::DemoteTo(HalfS32(), part), HalfS32(), restored.signal[i] + x);
      hn::StoreU(hn::DemoteTo(HalfS32(), hn::Sub(t, part)), HalfS32(), added.signal[i] + x);
    }
  }
}

#else
using scalar::coarse_decouple;
using scalar::fine_decouple;
#endif  // HWY_HAVE_FLOAT64

}  // namespace vq::adm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::adm, fine_weigh, coarse_weigh, reference_cubes, masked_cubes, fine_decouple, coarse_decouple)
#endif  // HWY_ONCE
