// C-values of a row from the counts of its samples' levels. Included once for each SIMD target.
#if defined(VQ_CAMBI_CONTRASTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CAMBI_CONTRASTS_INL_H
#undef VQ_CAMBI_CONTRASTS_INL_H
#else
#define VQ_CAMBI_CONTRASTS_INL_H
#endif

#include <hwy/highway.h>

#include "feature/cambi/stages.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using QuarterU16 = hn::Rebind<uint16_t, F32>;
using VF = hn::VFromD<F32>;
using MaskF32 = decltype(hn::Eq(hn::Zero(F32()), hn::Zero(F32())));

// The counts of one row of a strip: `own` of each sample's level, and `other[i]` of the levels at contrast
// first + i; zeros for contrasts that do not count. Reads whole vectors.
struct RowCounts {
  const uint16_t* own = nullptr;
  uint16_t* other[kContrastGroup] = {};
  float weight[kContrastGroup] = {};
};

// The value of contrast i is F = float(w * N * P) * R(N + P), N * w * P / (N + P) but for its roundings. So
// the largest is found by comparing fractions w * P / (N + P) by cross-multiplication, and only its
// reciprocal is looked up. Where two fractions come closer than the roundings could part them, all values
// are computed.
class Weigher {
 public:
  Weigher(const CambiPlan& plan, const RowCounts& counts)
      : reciprocals_(plan.reciprocals.data()), counts_(counts) {}

  // The largest value of contrasts kFirst..kEnd - 1 of the samples from column x on.
  template <int kFirst, int kEnd>
  HWY_INLINE VF largest(int x) const {
    const F32 f;
    const VF own = load(counts_.own + x), other = load(counts_.other[kFirst] + x);
    VF above = weighted<kFirst>(other), below = hn::Add(own, other);
    if constexpr (kEnd - kFirst > 1) {
      auto doubtful = contend<kFirst + 1>(own, x, above, below);
      if constexpr (kEnd - kFirst > 2) {
        doubtful = hn::Or(doubtful, contend<kFirst + 2>(own, x, above, below));
      }
      if constexpr (kEnd - kFirst > 3) {
        doubtful = hn::Or(doubtful, contend<kFirst + 3>(own, x, above, below));
      }
      if (HWY_UNLIKELY(!hn::AllFalse(f, doubtful))) return largest_by_value<kFirst, kEnd>(own, x);
    }
    return value(own, above, below);
  }

 private:
  // Rounding moves a value by at most 3 * 2^-24 and the ninth digit's 5e-9, together under 2^-22 of it, and a
  // product of this comparison by 2^-24.
  static constexpr float kDoubt = 0x1p-20F;

  static HWY_INLINE VF load(const uint16_t* counts) {
    return hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LoadU(QuarterU16(), counts)));
  }

  // Fractions w * P / (N + P) are two variables, both exact: vectors whose length only the machine knows
  // cannot be members of a struct.
  template <int kContrast>
  HWY_INLINE VF weighted(VF other) const {
    return hn::Mul(other, hn::Set(F32(), counts_.weight[kContrast]));
  }

  HWY_INLINE VF value(VF own, VF above, VF below) const {
    const F32 f;
    const auto reciprocal = hn::GatherIndex(f, reciprocals_, hn::ConvertTo(I32(), below));
    return hn::Mul(hn::Mul(own, above), reciprocal);
  }

  // Sets above / below to the larger of itself and the next fraction; returns true if the comparison is
  // inexact.
  template <int kContrast>
  HWY_INLINE MaskF32 contend(VF own, int x, VF& above, VF& below) const {
    const F32 f;
    const VF other = load(counts_.other[kContrast] + x);
    const VF next_above = weighted<kContrast>(other), next_below = hn::Add(own, other);
    const VF ours = hn::Mul(above, next_below), theirs = hn::Mul(next_above, below);
    const auto wins = hn::Lt(ours, theirs);
    above = hn::IfThenElse(wins, next_above, above);
    below = hn::IfThenElse(wins, next_below, below);
    return hn::Lt(hn::Abs(hn::Sub(ours, theirs)), hn::Mul(ours, hn::Set(f, kDoubt)));
  }

  template <int kFirst, int kEnd>
  HWY_NOINLINE VF largest_by_value(VF own, int x) const {
    const VF other = load(counts_.other[kFirst] + x);
    VF best = value(own, weighted<kFirst>(other), hn::Add(own, other));
    if constexpr (kEnd - kFirst > 1) best = hn::Max(best, largest_by_value<kFirst + 1, kEnd>(own, x));
    return best;
  }

  const float* const reciprocals_;
  const RowCounts& counts_;
};

}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
