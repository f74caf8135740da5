// What the moments of samples tell: sums of logarithms. Included once for each SIMD target.
#if defined(VQ_VIF_INFORMATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_VIF_INFORMATION_INL_H
#undef VQ_VIF_INFORMATION_INL_H
#else
#define VQ_VIF_INFORMATION_INL_H
#endif

#include "feature/vif/filtered-inl.h"
#include "feature/vif/log_table.h"
#include "feature/vif/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::vif {
namespace HWY_NAMESPACE {

using I32 = S32;
using I32Half = hn::Half<I32>;
using F32 = hn::Repartition<float, I32>;
using F64 = hn::Repartition<double, I32>;
using I64 = hn::Repartition<int64_t, I32>;

inline constexpr int32_t kNoise = 131072;  // the variance of visual noise, 2, with 16 fractional bits
inline constexpr double kEpsilon = 65536 * 1.0e-10;  // against division by zero, in the same unit
inline constexpr int32_t kLogBias = 2048 * 142;      // of biased_log2()
inline constexpr int32_t kLogOfNoise = kLogBias + 2048 * 17;

// LogTable::log2() of numbers from 2^15 to 2^31, and kLogBias more: a float has the place of the highest bit
// and the 15 below it side by side. What is below those is dropped where float would round it up.
HWY_INLINE hn::VFromD<I32> biased_log2(const LogTable& table, hn::VFromD<I32> v) {
  const I32 d;
  const auto cut = hn::IfThenElse(hn::Gt(v, hn::Set(d, (1 << 24) - 1)), hn::And(v, hn::Set(d, ~0xFF)), v);
  const auto digits = hn::ShiftRight<8>(hn::BitCast(d, hn::ConvertTo(F32(), cut)));
  const auto block = hn::And(hn::ShiftRight<3>(digits), hn::Set(d, LogTable::kBlocks - 1));
  const auto entry = hn::GatherIndex(d, table.entries(), block);
  const auto log = hn::ShiftRight<3>(hn::Add(entry, hn::And(digits, hn::Set(d, 7))));
  return hn::Add(log, hn::ShiftLeft<11>(hn::ShiftRight<15>(digits)));
}

// The double operations in the order of the reference implementation, for the moments of half a vector:
// variance of the noise, and of that and the explained part.
HWY_INLINE void explain(hn::VFromD<I32Half> v1, hn::VFromD<I32Half> v2, hn::VFromD<I32Half> v12, double limit,
                        hn::VFromD<I32Half>& residual, hn::VFromD<I32Half>& explained) {
  const F64 d;
  const auto variance = hn::PromoteTo(d, v1), covariance = hn::PromoteTo(d, v12);
  const auto gain = hn::Div(covariance, hn::Add(variance, hn::Set(d, kEpsilon)));
  residual = hn::DemoteTo(I32Half(), hn::Sub(hn::PromoteTo(d, v2), hn::Mul(gain, covariance)));
  const auto credited = hn::Min(gain, hn::Set(d, limit));
  explained = hn::DemoteTo(I32Half(), hn::Mul(hn::Mul(credited, credited), variance));
}

// The logarithm of what the noise is to all, of each sample.
HWY_INLINE hn::VFromD<I32> gained(const LogTable& table, hn::VFromD<I32> v1, hn::VFromD<I32> v2,
                                  hn::VFromD<I32> v12, double limit) {
  const I32 d;
  const I32Half half;
  hn::VFromD<I32Half> residual_low, residual_high, explained_low, explained_high;
  explain(hn::LowerHalf(half, v1), hn::LowerHalf(half, v2), hn::LowerHalf(half, v12), limit, residual_low,
          explained_low);
  explain(hn::UpperHalf(half, v1), hn::UpperHalf(half, v2), hn::UpperHalf(half, v12), limit, residual_high,
          explained_high);
  const auto residual = hn::Combine(d, residual_high, residual_low);
  const auto noise = hn::Add(hn::Max(residual, hn::Zero(d)), hn::Set(d, kNoise));
  const auto all = hn::Add(hn::Combine(d, explained_high, explained_low), noise);
  return hn::Sub(biased_log2(table, all), biased_log2(table, noise));
}

// Adds samples, by their horizontal sums. Samples whose sums are all 0 count as flat and add nothing else.
// Needs: a number of samples that fills vectors, of a row or less.
inline void add_samples(const Plane<uint32_t>& rows, int count, double limit, ScaleSums& sums) {
  const I32 d;
  const I64 d64;
  const LogTable& table = LogTable::get();
  auto num = hn::Zero(d), den = num, textured = num;
  auto flat_variance = hn::Zero(d64);
  for (int x = 0; x < count; x += static_cast<int>(hn::Lanes(d))) {
    const auto at = [&](SumRow row) HWY_ATTR { return hn::Load(U32(), rows.row(row) + x); };
    const auto mean = at(kMean), distorted_mean = at(kDistortedMean);
    const auto v1 = central(at(kSquare), mean, mean);
    // Rounding leaves values below 0.
    const auto v2 = hn::Max(central(at(kDistortedSquare), distorted_mean, distorted_mean), hn::Zero(d));
    const auto is_flat = hn::Lt(v1, hn::Set(d, kNoise));
    if (!hn::AllFalse(d, is_flat)) {
      const auto flat = hn::BitCast(d64, hn::IfThenElseZero(is_flat, v2));
      flat_variance =
          hn::Add(flat_variance, hn::Add(hn::And(flat, hn::Set(d64, 0xFFFFFFFF)), hn::ShiftRight<32>(flat)));
      if (hn::AllTrue(d, is_flat)) continue;
    }
    textured = hn::Add(textured, hn::IfThenZeroElse(is_flat, hn::Set(d, 1)));
    const auto log = biased_log2(table, hn::Add(v1, hn::Set(d, kNoise)));
    den = hn::Add(den, hn::IfThenZeroElse(is_flat, hn::Sub(log, hn::Set(d, kLogOfNoise))));
    const auto v12 = central(at(kProduct), mean, distorted_mean);
    const auto is_gained = hn::AndNot(is_flat, hn::And(hn::Gt(v12, hn::Zero(d)), hn::Gt(v2, hn::Zero(d))));
    if (hn::AllFalse(d, is_gained)) continue;
    num = hn::Add(num, hn::IfThenElseZero(is_gained, gained(table, v1, v2, v12, limit)));
  }
  const auto sum = [&](hn::VFromD<I32> v) HWY_ATTR { return int64_t{hn::GetLane(hn::SumOfLanes(d, v))}; };
  sums.num_log += sum(num);
  sums.den_log += sum(den);
  sums.flat += count - sum(textured);
  sums.flat_variance += hn::GetLane(hn::SumOfLanes(d64, flat_variance));
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::vif
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif
