// The double operations of feature/vif/vif.h, decided by integers: what noise there is, and noise and
// explained part together.
//
// Names: a the variance of the reference, at least kNoise; x the covariance and v the distorted picture's
// variance, above 0; P = x^2 / a = Q + s / a with an integer Q and 0 <= s < a; u = 2^-53; e = kEpsilon.
//
// Range: the moments are those of weights, but for the rounding of the means, which moves them by at most
// 65538 units: so a, v < 2^30 + 2^17, x <= sqrt(1.5001 a) 2^15 + 65538, and P < 2^31.
//
// The gain is g = fl(x / fl(a + e)); noise is cut from fl(v - p) with p = fl(g x), what it explains from w =
// fl(fl(g g) a). Each operation moves its result by a factor within 1 +- u, so that
//     p = P a / (a + e) (1 + d), |d| <= 3.01 u,    w = P (a / (a + e))^2 (1 + d), |d| <= 6.01 u.
// e / a is between 6.1e-15 and 5.1e-11, more than 50 u: so p < P and w < P. And P - w < 2.1 e P / a + 6.01 u
// P < 0.3.
//   - w is cut to Q or Q - 1, and for s = 0 to Q - 1, as w < P = Q.
//   - v - p is above v - P, hence above v - Q - 1, and p > Q - 0.2; rounding keeps the order, so that it is
//     cut to v - Q or to v - Q - 1 if these are not negative. For s = 0 it is v - Q, as v - p > v - Q.
//   - w >= Q if s >= 2 e P + 6.01 u P a; v - p is below v - Q by more than doubles below 2^31 round away,
//     2^-23, if s > e P + (3.01 u P + 2^-23) a. With P < 2^31 both follow from s > P / 2^16 + a / 2^18: then
//     they are Q and v - Q - 1.
// One sample in many thousands is left. There both candidates mostly have the same logarithms, as these drop
// bits: else the operations are done one by one.
//
// The smaller one of g and the limit L is g if x <= L a: then x / fl(a + e) < L, and rounding does not bring
// it above L. It is L if x >= L a + 1, as L e + L a u < 1.

#include "double.glsl"

const uint kNoise = 131072;
// If these fractional bits are set, a number below 2^31 was rounded up: its half unit is 2^-23 or less.
const uint kNearlyOne = 0xFFFFFE00;

struct Explained {
  uint noise, all;
};

// Q and s. Estimates in floats are low by at most 2.9e-6 of the quotient: factors of 1 +- 2^-23 for each
// conversion and product and 2.5 times that for the division, and one that keeps them from being high. So the
// first is low by less than 6300, and the second by at most one.
uint quotient_of(uint x, uint a, out uint rest) {
  const float kLow = 1.0 - 1.0 / 524288.0;
  const float inverse = kLow / float(a);
  uint quotient = uint(float(x) * float(x) * inverse);
  const Wide left = wide_difference(wide_product(x, x), wide_product(quotient, a));
  const uint more = uint((float(left.high) * 4294967296.0 + float(left.low)) * inverse);
  quotient += more;
  rest = left.low - more * a;
  if (rest >= a) {
    ++quotient;
    rest -= a;
  }
  return quotient;
}

// Whether logarithms of numbers from 2^17 on are the same, since these differ in nothing but what logarithms
// drop.
bool have_same_log(uint a, uint b) {
  return (a ^ b) >> (findMSB(a) - 15) == 0;
}

const uint kWithin = 0, kUnsure = 1, kBeyond = 2;

// Whether the gain is within the limit.
uint place_of_gain(uint x, uint a, FixedPoint limit) {
  // L a is less than 1.5 more, and no more if L is whole.
  const Wide least = wide_sum(wide_product(a, limit.whole), wide_product(a, limit.upper).high);
  if (least.high != 0 || x <= least.low) return kWithin;
  return (limit.upper | limit.lower) == 0 || x > least.low + 2 ? kBeyond : kUnsure;
}

// The variance that a gain of the limit explains, without the last rounding, which may have reached the next
// number if it is not sure. Needs: a result below 2^31.
uint explained_by_limit(uint a, FixedPoint limit_squared, out bool is_sure) {
  const Wide fraction =
      wide_sum(wide_product(a, limit_squared.upper), wide_product(a, limit_squared.lower).high);
  is_sure = fraction.low < kNearlyOne;
  return a * limit_squared.whole + fraction.high;
}

// a + e: below a double of a's size there are 1844674407.37 units of 2^-48 for e, rounded to the last place;
// never a tie.
Double sum_with_epsilon(uint a) {
  Double sum = double_of(a);
  const uint shift = uint(findMSB(a)) - 4;
  const uint epsilon = (1844674407u + (1u << (shift - 1))) >> shift;
  sum.mantissa = wide_sum(sum.mantissa, epsilon);
  return sum;
}

// Whether fl(v - p) >= v - Q, for v > Q: p may be as much above Q as half the distance from v - Q to the
// double below it.
bool is_rounded_up(uint v, uint quotient, Double p) {
  const int top = 52 + p.exponent;  // place of p's highest bit
  const int half_gap = findMSB(v - quotient - 1) - 1 - top;
  const Wide level = quotient == 0 ? Wide(0, 0) : wide_left_shift(Wide(quotient, 0), uint(-p.exponent));
  const Wide most = half_gap < 0 ? level : wide_sum(level, wide_left_shift(Wide(1, 0), uint(half_gap)));
  return !is_less(most, p.mantissa);
}

Explained explain_exactly(uint a, uint v, uint x, FixedPoint limit) {
  uint rest;
  const uint quotient = quotient_of(x, a, rest);
  const Double variance = double_of(a), covariance = double_of(x);
  const Double gain = quotient_of(covariance, sum_with_epsilon(a));
  const Double credited = smaller_of(gain, rounded(uvec4(limit.lower, limit.upper, limit.whole, 0), -64));
  uint noise = kNoise;
  Double a_factor = gain, b_factor = covariance;
  [[dont_unroll]] for (uint i = 0; i < 3; ++i) {
    const Double product = product_of(a_factor, b_factor);
    if (i == 0 && v > quotient) {
      noise += v - quotient - 1;
      if (is_rounded_up(v, quotient, product)) ++noise;
    }
    a_factor = i == 0 ? credited : product;
    b_factor = i == 0 ? credited : variance;
  }
  return Explained(noise, noise + whole_part(a_factor));
}

Explained explain(uint a, uint v, uint x, FixedPoint limit, FixedPoint limit_squared) {
  uint rest;
  const uint quotient = quotient_of(x, a, rest);
  const uint above = uint(max(int(v - quotient), 0)), below = uint(max(int(above) - 1, 0));
  const bool is_sure = rest == 0 || rest > (quotient >> 16) + (a >> 18) + 2;
  const uint place = place_of_gain(x, a, limit);
  uint least = max(quotient, 1) - 1, most = quotient;
  bool is_cut_sure = place != kUnsure;
  if (place == kBeyond) least = most = explained_by_limit(a, limit_squared, is_cut_sure);
  if (is_sure && is_cut_sure) {
    const uint noise = kNoise + (rest == 0 ? above : below);
    return Explained(noise, noise + (rest == 0 ? least : most));
  }
  const uint noise = kNoise + below, all = noise + least;
  if (is_cut_sure && have_same_log(noise, kNoise + above) && have_same_log(all, kNoise + above + most)) {
    return Explained(noise, all);
  }
  return explain_exactly(a, v, x, limit);
}
