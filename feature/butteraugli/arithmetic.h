// Quotients, roots and logarithms of sums, products and whole numbers alone, whose bits are the same on the
// CPU, in vectors (arithmetic-inl.h) and on devices (shaders/butteraugli/arithmetic.glsl).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "shaders/butteraugli/constants.h"

namespace vq::butteraugli {

// 1 / x to two units of the last place. Needs: 2^-100 < x < 2^100.
inline float reciprocal(float x) {
  float r = std::bit_cast<float>(kReciprocalBits - std::bit_cast<uint32_t>(x));
  for (int i = 0; i < 3; ++i) r = r * (2.0F - x * r);
  return r;
}

// The part of x whose products with such a part are exact.
inline float upper_part(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & kUpperBits);
}

// a / b, rounded as the exact quotient nearly always: one step with what is left of a. Needs: 2^-30 < b <
// 2^30, and a likewise or of 0.
inline float quotient(float a, float b) {
  const float r = reciprocal(b), q = a * r;
  const float upper_q = upper_part(q), lower_q = q - upper_q, upper_b = upper_part(b), lower_b = b - upper_b;
  const float rest = (((a - upper_q * upper_b) - upper_q * lower_b) - lower_q * upper_b) - lower_q * lower_b;
  return q + rest * r;
}

// The square root to two units of the last place; 0 of 0. Needs: 0, or 2^-100 < x < 2^100.
inline float root(float x) {
  float r = std::bit_cast<float>(kRootBits - (std::bit_cast<uint32_t>(x) >> 1));
  for (int i = 0; i < 3; ++i) r = r * (1.5F - ((0.5F * x) * r) * r);
  return x * r;
}

// log2(x) to 4e-6. Needs: x > 0, not subnormal.
inline float logarithm(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const int32_t exponent = static_cast<int32_t>(bits - kLogarithmBits) >> 23;
  const float m = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0F;
  const float p = (kLogP2 * m + kLogP1) * m + kLogP0;
  const float q = (kLogQ2 * m + kLogQ1) * m + kLogQ0;
  return quotient(p, q) + static_cast<float>(exponent);
}

// x, or 0 for what is too small to be squared.
inline float settled(float x) {
  return std::abs(x) < kLeast ? 0.0F : x;
}

}  // namespace vq::butteraugli
