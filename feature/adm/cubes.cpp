#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/adm/cubes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>

#include "feature/adm/plan.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::adm {
namespace {

int32_t wrapped(uint32_t value) {
  return static_cast<int32_t>(value);
}

// What the detail around x hides.
uint32_t threshold_at(const MaskerRows& masker, int x) {
  uint32_t sum = 0;
  for (const int32_t* row : {masker.above, masker.here, masker.below}) {
    for (int k = x - 1; k <= x + 1; ++k) sum += static_cast<uint32_t>(row[k]);
  }
  return sum - static_cast<uint32_t>(masker.here[x]) + static_cast<uint32_t>(masker.centre[x]);
}

int64_t masked_cube(int64_t excess, const MaskedShifts& shifts) {
  const auto square = static_cast<int32_t>((excess * excess + half_unit(shifts.square)) >> shifts.square);
  return (square * excess + half_unit(shifts.cube)) >> shifts.cube;
}

}  // namespace

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

}  // namespace vq::adm
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::adm {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::masked_cubes;
using scalar::reference_cubes;
#else

namespace hn = hwy::HWY_NAMESPACE;

using S32 = hn::ScalableTag<int32_t>;
using U32 = hn::RebindToUnsigned<S32>;
using S64 = hn::Repartition<int64_t, S32>;
using U64 = hn::RebindToUnsigned<S64>;
using V32 = hn::VFromD<S32>;
using V64 = hn::VFromD<S64>;
using VU64 = hn::VFromD<U64>;

HWY_INLINE V32 odd_lanes(V32 v) {
  return hn::BitCast(S32(), hn::ShiftRight<32>(hn::BitCast(U64(), v)));
}

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

// Of even lanes, which hold numbers of 31 bits.
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

// Of even lanes.
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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::adm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::adm, reference_cubes)
VQ_STAGE(vq::adm, masked_cubes)
#endif  // HWY_ONCE
