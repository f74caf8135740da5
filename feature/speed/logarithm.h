// The logarithm of SpEED-QA, the same on every platform and with every instruction set.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vq::speed {

// log2(2 pi e): twice the entropy of a Gaussian of variance 1, in bits.
inline constexpr double kGaussianEntropy = 4.094191170361282;

// x = m * 2^e with m from 1/sqrt(2) to sqrt(2), and log2(m) = 2/ln(2) * (s + s^3/3 + s^5/5 + ...) with
// s = (m - 1)/(m + 1), which is below 0.172. The division is exact to a rounding and m - 1 exact, so that the
// result is within two units of the last place.
namespace logarithm {
inline constexpr double kTwoOverLn2 = 2.8853900817779268;
// The bits of 1/sqrt(2).
inline constexpr uint64_t kLeastMantissa = 0x3FE6A09E667F3BCD;
// Factors of s^3, s^5, ... s^23.
inline constexpr double kSeries[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                     1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
inline constexpr int kTerms = 11;
}  // namespace logarithm

// log2 of normal numbers above 0; -infinity for 0, NaN for negative numbers. Needs: not subnormal.
inline double log2_of(double x) {
  using namespace logarithm;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  const auto bits = std::bit_cast<uint64_t>(x);
  const auto exponent = static_cast<int64_t>(bits - kLeastMantissa) >> 52;
  const auto m = std::bit_cast<double>(bits - (static_cast<uint64_t>(exponent) << 52));
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = kSeries[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) sum = sum * square + kSeries[i];
  const double series = s + s * (square * sum);
  return static_cast<double>(exponent) + kTwoOverLn2 * series;
}

}  // namespace vq::speed
