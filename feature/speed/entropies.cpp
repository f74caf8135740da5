#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/speed/entropies.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/simd_targets.h"
#include "feature/speed/plan.h"
#include "feature/speed/stages.h"

#if HWY_ONCE
namespace vq::speed {

void scalar::entropies(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
                       const BlockFigures& out) {
  for (int block = 0; block < y.count; ++block) {
    float variance = 0;
    for (int i = 0; i < kVariables; ++i) variance += x.row(i)[block] * y.row(i)[block] / kVariables;
    float entropy = 0;
    for (int i = 0; i < kVariables; ++i) {
      const float value = eigenvalues[i] >= 0 ? eigenvalues[i] : 0;
      const double bits = log2_of(static_cast<double>(value * variance + sigma)) + kGaussianEntropy;
      entropy = static_cast<float>(static_cast<double>(entropy) + bits);
    }
    out.variances[block] = variance;
    out.entropies[block] = entropy;
  }
}

}  // namespace vq::speed
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::speed {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::entropies;
#else

namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using S64 = hn::RebindToSigned<F64>;
using F32 = hn::Rebind<float, F64>;  // half a vector, so that its doubles are a whole one
using Doubles = hn::VFromD<F64>;

// log2_of(), operation by operation.
HWY_INLINE Doubles log2_of_all(Doubles x) {
  using namespace logarithm;
  const F64 d;
  const S64 di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(di, static_cast<int64_t>(kLeastMantissa))));
  const Doubles m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  const Doubles one = hn::Set(d, 1.0);
  const Doubles s = hn::Div(hn::Sub(m, one), hn::Add(m, one)), square = hn::Mul(s, s);
  Doubles sum = hn::Set(d, kSeries[kTerms - 1]);
  for (int i = kTerms - 2; i >= 0; --i) sum = hn::Add(hn::Mul(sum, square), hn::Set(d, kSeries[i]));
  const Doubles series = hn::Add(s, hn::Mul(s, hn::Mul(square, sum)));
  const Doubles finite = hn::Add(hn::ConvertTo(d, exponent), hn::Mul(hn::Set(d, kTwoOverLn2), series));
  const Doubles zero = hn::Zero(d), infinity = hn::Inf(d);
  const Doubles large = hn::IfThenElse(hn::Eq(x, infinity), x, finite);
  const Doubles small = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::NaN(d));
  return hn::IfThenElse(hn::Gt(x, zero), large, small);
}

void entropies(const float* eigenvalues, float sigma, const Blocks& y, const Blocks& x,
               const BlockFigures& out) {
  const F32 d;
  const F64 wide;
  const auto variables = hn::Set(d, static_cast<float>(kVariables)), noise = hn::Set(d, sigma);
  const Doubles of_gaussian = hn::Set(wide, kGaussianEntropy);
  for (int c = 0; c < y.count; c += static_cast<int>(hn::Lanes(d))) {
    auto variance = hn::Zero(d);
    for (int i = 0; i < kVariables; ++i) {
      const auto product = hn::Mul(hn::LoadU(d, x.row(i) + c), hn::LoadU(d, y.row(i) + c));
      variance = hn::Add(variance, hn::Div(product, variables));
    }
    auto entropy = hn::Zero(d);
    for (int i = 0; i < kVariables; ++i) {
      const auto value = hn::Set(d, eigenvalues[i] >= 0 ? eigenvalues[i] : 0.0F);
      const auto noisy = hn::Add(hn::Mul(value, variance), noise);
      const Doubles bits = hn::Add(log2_of_all(hn::PromoteTo(wide, noisy)), of_gaussian);
      entropy = hn::DemoteTo(d, hn::Add(hn::PromoteTo(wide, entropy), bits));
    }
    hn::StoreU(variance, d, out.variances + c);
    hn::StoreU(entropy, d, out.entropies + c);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::speed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::speed, entropies)
#endif  // HWY_ONCE
