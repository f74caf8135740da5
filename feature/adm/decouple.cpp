#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/adm/decouple.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "feature/adm/plan.h"
#include "feature/simd_targets.h"

#ifndef FEATURE_ADM_DECOUPLE_CONSTANTS
#define FEATURE_ADM_DECOUPLE_CONSTANTS
namespace vq::adm {

// The square of the cosine of one degree, rounded to float.
constexpr double kSquaredCosine = 16772106.0 / (1 << 24);

// Quotients of coefficients are of 15 bits after the point, and made from reciprocals of 30.
constexpr int kRatioBits = 15, kReciprocalBits = 30;
constexpr int64_t kOne = int64_t{1} << kRatioBits;

}  // namespace vq::adm
#endif

#if HWY_ONCE
namespace vq::adm {
namespace {

// distorted / reference, limited to 0..1. Of a reference of more than 15 bits the leading 15 count.
int64_t ratio(int64_t reference, int64_t distorted) {
  const auto size = static_cast<uint64_t>(std::abs(reference));
  const int shift = std::max(static_cast<int>(std::bit_width(size)) - kRatioBits, 0);
  const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
  const auto reciprocal = static_cast<int64_t>((uint64_t{1} << kReciprocalBits) / ((size + half) >> shift));
  const int64_t product = reciprocal * (reference < 0 ? -distorted : distorted);
  return std::clamp((product + (int64_t{1} << (kRatioBits - 1 + shift))) >> (kRatioBits + shift), int64_t{0},
                    kOne);
}

int32_t restored_part(int64_t reference, int64_t distorted, bool aligned, double gain_limit) {
  if (reference == 0) return 0;
  const int64_t part = (ratio(reference, distorted) * reference + kOne / 2) >> kRatioBits;
  if (!aligned) return static_cast<int32_t>(part);
  const auto limited = static_cast<int64_t>(
      std::min(static_cast<double>(std::abs(part)) * gain_limit, static_cast<double>(std::abs(distorted))));
  return static_cast<int32_t>(reference < 0 ? -limited : limited);
}

double as_float(int64_t sum) {
  return static_cast<float>(sum);
}

}  // namespace

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
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::adm {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64

void fine_decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
                   const PartRow& restored, const PartRow& added) {
  scalar::decouple(reference, distorted, plan, restored, added);
}
void coarse_decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
                     const PartRow& restored, const PartRow& added) {
  scalar::decouple(reference, distorted, plan, restored, added);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using U64 = hn::RebindToUnsigned<F64>;
using S32 = hn::ScalableTag<int32_t>;
using U32 = hn::RebindToUnsigned<S32>;
using F32 = hn::RebindToFloat<S32>;
using HalfS32 = hn::Rebind<int32_t, F64>;  // as many lanes as doubles
using V64 = hn::VFromD<F64>;
using V32 = hn::VFromD<S32>;
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
HWY_INLINE V64 limited(V64 part, V64 distorted, V64 gain_limit) {
  return hn::Min(hn::Mul(hn::Abs(part), gain_limit), hn::Abs(distorted));
}

HWY_INLINE V64 lower_half(V32 v) {
  return hn::PromoteTo(F64(), hn::LowerHalf(HalfS32(), v));
}
HWY_INLINE V64 upper_half(V32 v) {
  return hn::PromoteTo(F64(), hn::UpperHalf(HalfS32(), v));
}
// Of coefficients of 16 bits. Limits are nearly always whole numbers, whose products 32 bits hold.
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
  const V64 gain_limit = hn::Set(F64(), limit.gain);
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
HWY_INLINE V64 coarse_ratio(V64 reference, V64 distorted) {
  constexpr int kMantissa = 52;
  const V64 size = hn::Max(hn::Abs(reference), hn::Set(F64(), 1));
  // The leading 15 bits, rounded: smaller numbers have no others.
  constexpr uint64_t kCut = uint64_t{1} << (kMantissa - (kRatioBits - 1));
  const auto rounded = hn::Add(hn::BitCast(U64(), size), hn::Set(U64(), kCut / 2));
  const V64 leading = hn::BitCast(F64(), hn::AndNot(hn::Set(U64(), kCut - 1), rounded));
  // 2^-shift, where 2^(14 + shift) is the highest power in the size, or 1 where that is below: a difference
  // of exponents.
  const auto power = hn::And(hn::BitCast(U64(), hn::Max(size, hn::Set(F64(), kOne / 2))),
                             hn::Set(U64(), uint64_t{0x7FF} << kMantissa));
  constexpr uint64_t kExponents = (2 * uint64_t{1023} + (kRatioBits - 1)) << kMantissa;
  const V64 scale = hn::BitCast(F64(), hn::Sub(hn::Set(U64(), kExponents), power));
  const V64 reciprocal = hn::Floor(hn::Div(hn::Set(F64(), 1 << kReciprocalBits), hn::Mul(leading, scale)));
  // Negative where signs differ.
  const V64 numerator = hn::Xor(distorted, hn::And(reference, hn::SignBit(F64())));
  const V64 product = hn::Mul(hn::Mul(reciprocal, numerator), hn::Mul(scale, hn::Set(F64(), 1.0 / kOne)));
  const V64 ratio = hn::Floor(hn::Add(product, hn::Set(F64(), 0.5)));
  return hn::Min(hn::Max(ratio, hn::Zero(F64())), hn::Set(F64(), kOne));
}

HWY_INLINE V64 coarse_part(V64 reference, V64 distorted, MaskOf<F64> aligned, V64 gain_limit) {
  const V64 share = hn::Mul(coarse_ratio(reference, distorted), hn::Set(F64(), 1.0 / kOne));
  const V64 part = hn::Floor(hn::Add(hn::Mul(share, reference), hn::Set(F64(), 0.5)));
  const V64 strengthened = hn::CopySign(hn::Trunc(limited(part, distorted, gain_limit)), reference);
  return hn::IfThenElse(aligned, strengthened, part);
}

HWY_INLINE V64 load_double(const int32_t* in) {
  return hn::PromoteTo(F64(), hn::LoadU(HalfS32(), in));
}

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
  const V64 gain_limit = hn::Set(F64(), plan.gain_limit);
  const int step = static_cast<int>(hn::Lanes(F64()));
  const Span columns = plan.masking_columns;
  for (int x = columns.first; x < columns.end; x += step) {
    const auto aligned = coarse_aligned(reference, distorted, x, columns.end);
    for (size_t i = 0; i < kBands; ++i) {
      const V64 o = load_double(reference[i] + x), t = load_double(distorted[i] + x);
      const V64 part = coarse_part(o, t, aligned, gain_limit);
      hn::StoreU(hn::DemoteTo(HalfS32(), part), HalfS32(), restored.signal[i] + x);
      hn::StoreU(hn::DemoteTo(HalfS32(), hn::Sub(t, part)), HalfS32(), added.signal[i] + x);
    }
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::adm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::adm, fine_decouple)
VQ_STAGE(vq::adm, coarse_decouple)
#endif  // HWY_ONCE
