#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/adm/weigh.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdlib>

#include "feature/adm/plan.h"
#include "feature/adm/words-inl.h"
#include "feature/simd_targets.h"

#ifndef FEATURE_ADM_WEIGH_CONSTANTS
#define FEATURE_ADM_WEIGH_CONSTANTS
namespace vq::adm {

// What a weighted coefficient is to its neighbours is 1/30 of it, and 1/15 where it is itself.
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

// Continues a row by the neighbours that its ends lack, where it reaches these.
inline void extend_sides(const ScalePlan& plan, int32_t* side) {
  if (plan.masking_columns.first == 0) side[-1] = side[1];
  if (plan.masking_columns.end == plan.width) side[plan.width] = side[plan.width - 1];
}

}  // namespace vq::adm
#endif

#if HWY_ONCE
namespace vq::adm {

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

}  // namespace vq::adm
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::adm {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::coarse_weigh;
using scalar::fine_weigh;
#else

using S64 = hn::Repartition<int64_t, S32>;
using U64 = hn::RebindToUnsigned<S64>;

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

HWY_INLINE V32 odd_lanes(V32 v) {
  return hn::BitCast(S32(), hn::ShiftRight<32>(hn::BitCast(U64(), v)));
}

// Factors of 32 bits are taken for signed ones, 2^32 too small: `missing` has all bits set where that is so.
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

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::adm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::adm, fine_weigh)
VQ_STAGE(vq::adm, coarse_weigh)
#endif  // HWY_ONCE
