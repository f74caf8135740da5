// The functions of feature/butteraugli/stages.h, with the same bits: `precise` forbids to contract sums and
// products, which are rounded to nearest (ADR 0068). Nothing is divided.
#include "constants.h"

float reciprocal(float x) {
  precise float r = uintBitsToFloat(kReciprocalBits - floatBitsToUint(x));
  [[unroll]] for (int i = 0; i < 3; ++i) r = r * (2.0 - x * r);
  return r;
}

float upper_part(float x) {
  return uintBitsToFloat(floatBitsToUint(x) & kUpperBits);
}

float quotient(float a, float b) {
  const float r = reciprocal(b);
  precise const float q = a * r;
  const float upper_q = upper_part(q), upper_b = upper_part(b);
  precise const float lower_q = q - upper_q, lower_b = b - upper_b;
  precise const float rest =
      (((a - upper_q * upper_b) - upper_q * lower_b) - lower_q * upper_b) - lower_q * lower_b;
  precise const float result = q + rest * r;
  return result;
}

float root(float x) {
  precise float r = uintBitsToFloat(kRootBits - (floatBitsToUint(x) >> 1));
  precise const float half_of_it = 0.5 * x;
  [[unroll]] for (int i = 0; i < 3; ++i) r = r * (1.5 - (half_of_it * r) * r);
  precise const float result = x * r;
  return result;
}

float logarithm(float x) {
  const uint bits = floatBitsToUint(x);
  const int exponent = int(bits - kLogarithmBits) >> 23;
  precise const float m = uintBitsToFloat(bits - (uint(exponent) << 23)) - 1.0;
  precise const float dividend = (kLogP2 * m + kLogP1) * m + kLogP0;
  precise const float divisor = (kLogQ2 * m + kLogQ1) * m + kLogQ0;
  precise const float result = quotient(dividend, divisor) + float(exponent);
  return result;
}

float settled(float x) {
  return abs(x) < kLeast ? 0.0 : x;
}
