// Sums of floats that are taken in double, one term after the other, and then rounded to a float. Pairs of
// floats settle nearly always how to round; if they do not, whole numbers do what doubles would.
//
// Sums and products of floats are rounded to nearest.

#include "wide.glsl"

// high + low is the sum up to the roundings of `low`; `size` is the sum of the terms' sizes, rounded.
struct PairSum {
  float high, low, size;
};

// The exact error of rounding a + b to `sum`.
float lost_in(float sum, float a, float b) {
  precise const float of_b = sum - a;
  precise const float lost = (a - (sum - of_b)) + (b - of_b);
  return lost;
}

void add_term(inout PairSum sum, float term) {
  precise const float high = sum.high + term;
  precise const float low = sum.low + lost_in(high, sum.high, term);
  sum = PairSum(high, low, sum.size + abs(term));
}

// Whether all that differ from the sum by at most `share` of the terms' sizes are rounded to the same float,
// which is left in `rounded`. `low` of n terms is off by at most n (n + 1) / 2 * 2^-48 of their sizes, and a
// sum of doubles by n * 2^-53.
bool is_settled(PairSum sum, float share, out float rounded) {
  precise const float nearest = sum.high + sum.low;
  rounded = nearest;
  if (sum.size == 0) return true;
  const float size = abs(nearest);
  if (size < 7.888609052210118e-31) return false;
  // 2^-100: far from what is subnormal.
  // Half the distance to the next float towards 0, which may be smaller than that away from it.
  precise const float half_step = (size - uintBitsToFloat(floatBitsToUint(size) - 1)) * 0.5;
  return half_step - abs(lost_in(nearest, sum.high, sum.low)) > share * sum.size;
}

// mantissa * 2^exponent, with the highest of 53 bits set; or 0.
struct SignedDouble {
  Wide mantissa;
  int exponent;
  uint sign;  // 1 if it is negative
};
const SignedDouble kDoubleZero = SignedDouble(Wide(0, 0), 0, 0);
const uint kDoubleBits = 53, kFloatBits = 24, kSpareBits = 10;

bool is_zero(Wide a) {
  return (a.low | a.high) == 0;
}

// Subnormal numbers count as 0.
SignedDouble double_of(float number) {
  const uint bits = floatBitsToUint(number), exponent = bits >> 23 & 0xFF;
  if (exponent == 0) return kDoubleZero;
  const uint significand = bits & (1u << 23) - 1 | 1u << 23;
  return SignedDouble(wide_left_shift(Wide(significand, 0), kDoubleBits - kFloatBits),
                      int(exponent) - 127 - int(kDoubleBits - 1), bits >> 31);
}

// Without the lowest `dropped` bits, which round it, half to even. Needs: dropped <= 31.
Wide wide_even_shift(Wide a, uint dropped) {
  if (dropped == 0) return a;
  const uint rest = a.low & (1u << dropped) - 1, half_unit = 1u << (dropped - 1);
  const Wide kept = wide_shift(a, dropped);
  return wide_sum(kept, uint(rest > half_unit || (rest == half_unit && (kept.low & 1) != 0)));
}

// Shifted right; the lowest bit says whether any other that is lost was set.
Wide wide_sticky_shift(Wide a, uint by) {
  if (by == 0) return a;
  if (by > 63) return Wide(1, 0);
  // Not `?:`, of which both sides are computed: drivers take it that no shift is out of range.
  Wide kept;
  if (by >= 32) {
    kept = Wide(a.high >> (by - 32), 0);
  } else {
    kept = wide_shift(a, by);
  }
  const bool is_exact = wide_left_shift(kept, by) == a;
  return Wide(kept.low | uint(!is_exact), kept.high);
}

bool is_smaller(SignedDouble a, SignedDouble b) {
  if (a.exponent != b.exponent) return a.exponent < b.exponent;
  return a.mantissa.high < b.mantissa.high ||
         (a.mantissa.high == b.mantissa.high && a.mantissa.low < b.mantissa.low);
}

// The sum, for exponents as far apart as those of floats are.
SignedDouble sum_of(SignedDouble a, SignedDouble b) {
  if (is_zero(a.mantissa)) return b;
  if (is_zero(b.mantissa)) return a;
  if (is_smaller(a, b)) {
    const SignedDouble larger = b;
    b = a;
    a = larger;
  }
  const Wide large = wide_left_shift(a.mantissa, kSpareBits);
  const Wide small =
      wide_sticky_shift(wide_left_shift(b.mantissa, kSpareBits), uint(a.exponent - b.exponent));
  const Wide total = a.sign == b.sign ? wide_sum(large, small) : wide_difference(large, small);
  if (is_zero(total)) return kDoubleZero;
  const int dropped = int(wide_bits(total)) - int(kDoubleBits);
  Wide mantissa;
  if (dropped < 0) {
    mantissa = wide_left_shift(total, uint(-dropped));
  } else {
    mantissa = wide_even_shift(total, uint(dropped));
  }
  const int exponent = a.exponent - int(kSpareBits) + dropped;
  if (wide_bits(mantissa) > kDoubleBits) return SignedDouble(wide_shift(mantissa, 1), exponent + 1, a.sign);
  return SignedDouble(mantissa, exponent, a.sign);
}

// The float next to it, a half to even. Needs: 0, or the size of a float that is not subnormal.
float float_of(SignedDouble number) {
  if (is_zero(number.mantissa)) return 0;
  const uint significand = wide_even_shift(number.mantissa, kDoubleBits - kFloatBits).low;
  // A carry goes on into the exponent.
  const uint exponent = uint(number.exponent + int(kDoubleBits - 1) + 127);
  const uint size = (exponent << 23) + (significand - (1u << 23));
  return uintBitsToFloat(size | number.sign << 31);
}
