// The functions of elementary.h for vectors of doubles, with the same bits. Included once for each SIMD
// target.
#if defined(VQ_CIEDE_ELEMENTARY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VQ_CIEDE_ELEMENTARY_INL_H
#undef VQ_CIEDE_ELEMENTARY_INL_H
#else
#define VQ_CIEDE_ELEMENTARY_INL_H
#endif

#include <hwy/highway.h>

#include "core/elementary.h"

#ifndef VQ_CIEDE_USES_ELEMENTARY
#define VQ_CIEDE_USES_ELEMENTARY
namespace vq::ciede {
using namespace elementary;
}
#endif

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::ciede {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using U64 = hn::RebindToUnsigned<F64>;
using V64 = hn::VFromD<F64>;

HWY_INLINE V64 all(double value) {
  return hn::Set(F64(), value);
}

template <size_t size>
HWY_INLINE V64 polynomial(const std::array<double, size>& coefficients, V64 x) {
  constexpr size_t kEven = (size - 1) / 2 * 2, kOdd = (size - 2) / 2 * 2 + 1;
  const V64 square = hn::Mul(x, x);
  V64 even = all(coefficients[kEven]), odd = all(coefficients[kOdd]);
  for (size_t i = kEven; i >= 2; i -= 2) even = hn::Add(hn::Mul(even, square), all(coefficients[i - 2]));
  for (size_t i = kOdd; i >= 3; i -= 2) odd = hn::Add(hn::Mul(odd, square), all(coefficients[i - 2]));
  return hn::Add(even, hn::Mul(odd, x));
}

HWY_INLINE V64 log_2(V64 x) {
  const U64 u;
  const F64 d;
  const auto bits = hn::BitCast(u, x), bias = hn::Set(u, kBiasBits);
  const auto exponent =
      hn::ShiftRight<kMantissaBits>(hn::Add(hn::Sub(bits, hn::Set(u, kRootOfHalfBits)), bias));
  const V64 mantissa = hn::BitCast(d, hn::Add(hn::Sub(bits, hn::ShiftLeft<kMantissaBits>(exponent)), bias));
  const V64 z = hn::Div(hn::Sub(mantissa, all(1)), hn::Add(mantissa, all(1)));
  const V64 integer = hn::Sub(hn::BitCast(d, hn::Or(hn::BitCast(u, all(kIntegers)), exponent)),
                              all(kIntegers + kExponentBias));
  return hn::Add(integer, hn::Mul(z, polynomial(kLog2, hn::Mul(z, z))));
}

HWY_INLINE V64 exp_2(V64 x) {
  const U64 u;
  const V64 rounded = hn::Add(x, all(kRounder));
  const V64 power = polynomial(kExp2, hn::Sub(x, hn::Sub(rounded, all(kRounder))));
  return hn::BitCast(F64(),
                     hn::Add(hn::BitCast(u, power), hn::ShiftLeft<kMantissaBits>(hn::BitCast(u, rounded))));
}

HWY_INLINE V64 power(V64 base, double exponent) {
  return exp_2(hn::Mul(all(exponent), log_2(base)));
}

HWY_INLINE V64 exponential(V64 x) {
  return exp_2(hn::Mul(x, all(std::numbers::log2e)));
}

HWY_INLINE V64 sine(V64 x) {
  return hn::Mul(x, polynomial(kSine, hn::Mul(x, x)));
}

HWY_INLINE void sine_cosine(V64 x, V64& sine_of_x, V64& cosine_of_x) {
  const V64 rounded = hn::Add(hn::Mul(x, all(std::numbers::inv_pi)), all(kRounder));
  const V64 half_turns = hn::Sub(rounded, all(kRounder));
  const V64 rest =
      hn::Sub(hn::Sub(x, hn::Mul(half_turns, all(kPiUpper))), hn::Mul(half_turns, all(kPiLower)));
  const V64 sign = hn::BitCast(F64(), hn::ShiftLeft<63>(hn::BitCast(U64(), rounded)));
  sine_of_x = hn::Xor(sine(rest), sign);
  cosine_of_x = hn::Xor(polynomial(kCosine, hn::Mul(rest, rest)), sign);
}

HWY_INLINE V64 angle(V64 y, V64 x) {
  const V64 size_x = hn::Abs(x), size_y = hn::Abs(y);
  const V64 larger = hn::Max(size_x, size_y), smaller = hn::Min(size_x, size_y);
  const auto is_steep = hn::Gt(smaller, hn::Mul(all(kEighthTurnHalfTangent), larger));
  const V64 dividend = hn::IfThenElse(is_steep, hn::Sub(smaller, larger), smaller);
  const V64 divisor = hn::IfThenElse(is_steep, hn::Add(smaller, larger), larger);
  const V64 ratio = hn::Div(dividend, hn::Max(divisor, all(kLeastDivisor)));
  V64 result = hn::Mul(ratio, polynomial(kArcTangent, hn::Mul(ratio, ratio)));
  result = hn::IfThenElse(is_steep, hn::Add(result, all(kPi / 4)), result);
  result = hn::IfThenElse(hn::Gt(size_y, size_x), hn::Sub(all(kPi / 2), result), result);
  result = hn::IfThenElse(hn::Lt(x, hn::Zero(F64())), hn::Sub(all(kPi), result), result);
  return hn::CopySign(result, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace vq::ciede
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
