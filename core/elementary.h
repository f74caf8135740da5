// The floating-point environment in which every machine computes the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

// These options allow the compiler to change results. Builds turn them off and pass -ffp-contract=off.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "scores are exact: build without -ffast-math, -Ofast and -ffinite-math-only"
#endif
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error \
    "scores are exact: float and double must not be computed in more bits than they have (x86: -mfpmath=sse)"
#endif
#if defined(__MINGW32__) && defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace vq {

// The floating-point state of this thread, and what it is on every thread of a fresh process.
#if defined(__MINGW32__) && defined(__SSE2__)
// MinGW-w64's functions ask the processor each time whether it has SSE, which virtual machines answer slowly,
// and leave out the control word of SSE, by which all but its own functions compute.
struct FloatState {
  std::fenv_t x87;
  unsigned vectors;
};
inline FloatState float_state() {
  FloatState state;
  asm volatile("fnstenv %0\n\tfldenv %0" : "=m"(state.x87));
  state.vectors = _mm_getcsr();
  return state;
}
inline void set_float_state(const FloatState& state) {
  asm volatile("fldenv %0" : : "m"(state.x87));
  _mm_setcsr(state.vectors);
}
inline void set_exact_floats() {
  asm volatile("fninit");
  _mm_setcsr(0x1F80);
}
#else
using FloatState = std::fenv_t;
inline FloatState float_state() {
  FloatState state;
  std::fegetenv(&state);
  return state;
}
inline void set_float_state(const FloatState& state) { std::fesetenv(&state); }
inline void set_exact_floats() { std::fesetenv(FE_DFL_ENV); }
#endif

// While an object lives, this thread rounds to nearest and keeps denormal numbers, whatever the caller or a
// library it loaded had chosen. The destructor restores the previous state. Threads started in between
// inherit the state.
class ExactFloats {
 public:
  ExactFloats() { set_exact_floats(); }
  ~ExactFloats() { set_float_state(before_); }
  ExactFloats& operator=(ExactFloats&&) = delete;

 private:
  const FloatState before_ = float_state();
};

}  // namespace vq

namespace vq::elementary {

// Logarithm, exponential, sine, cosine and angles of doubles: the C library's differ between machines and
// have no vectors. These are accurate to about 1e-15 and give the same bits everywhere, also in vectors
// (ciede/elementary-inl.h), as they consist of operations that IEEE 754 defines, in the order written here.

// Polynomials that interpolate at the Chebyshev nodes of an interval, the constant first. Their errors are
// below 1e-16.
inline constexpr std::array<double, 8> kLog2 = {  // log2((1 + z) / (1 - z)) / z of z^2, for z up to 0.172
    2.8853900817779268,  0.9617966939259898, 0.5770780163455203, 0.4121985858409005,
    0.32059853491395984, 0.262334352504183,  0.2209130842311768, 0.2136589569431927};
inline constexpr std::array<double, 12> kExp2 = {  // 2^x from -1/2 to 1/2
    1.0,
    0.6931471805599453,
    0.24022650695910158,
    0.055504108664821625,
    0.009618129107587256,
    0.001333355814640647,
    0.00015403530463724353,
    1.5252733841556773e-05,
    1.3215432535912375e-06,
    1.0178057087733941e-07,
    7.074194297288521e-09,
    4.4558179083360645e-10};
inline constexpr std::array<double, 11> kArcTangent = {  // atan(x) / x of x^2, for x up to tan(pi / 8)
    1.0,
    -0.3333333333332844,
    0.1999999999885511,
    -0.14285714180976467,
    0.11111106180455946,
    -0.09090773074808414,
    0.07689953496306857,
    -0.06640233930429408,
    0.056883492268090106,
    -0.04348052215716462,
    0.021135373157693246};
inline constexpr std::array<double, 9> kSine = {  // sin(x) / x of x^2, for x up to pi / 2
    1.0,
    -0.16666666666666666,
    0.008333333333333186,
    -0.00019841269841208676,
    2.7557319211229606e-06,
    -2.505210689056952e-08,
    1.605894087848656e-10,
    -7.643026557971632e-13,
    2.7215749422983443e-15};
inline constexpr std::array<double, 10> kCosine = {  // cos(x) of x^2, for x up to pi / 2
    1.0,
    -0.5,
    0.04166666666666666,
    -0.001388888888888853,
    2.480158730149264e-05,
    -2.755731920965447e-07,
    2.0876755666578904e-09,
    -1.1470670165323271e-11,
    4.7768722491448073e-14,
    -1.5119827834217995e-16};

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kEighthTurnHalfTangent = 0.41421356237309503;  // tan(pi / 8)
// Pi in two parts; products of the first with small integers are exact.
inline constexpr double kPiUpper = 0x1.921fb544p+1, kPiLower = kPi - kPiUpper + 1.2246467991473532e-16;
// So that 0 / 0 is 0.
inline constexpr double kLeastDivisor = 1e-300;

// Added to a double below 2^51 it leaves the nearest integer in the lowest bits: 1.5 * 2^52.
inline constexpr double kRounder = 6755399441055744.0;
// A double whose lowest bits are an integer, less this bias, which makes exponents positive: 2^52.
inline constexpr double kIntegers = 4503599627370496.0;
inline constexpr int kMantissaBits = 52, kExponentBias = 1024;
inline constexpr uint64_t kBiasBits = uint64_t{kExponentBias} << kMantissaBits;
inline constexpr uint64_t kRootOfHalfBits = std::bit_cast<uint64_t>(std::numbers::sqrt2 / 2);

// Even and odd powers apart, which halves the wait for the result.
template <size_t size>
double polynomial(const std::array<double, size>& coefficients, double x) {
  constexpr size_t kEven = (size - 1) / 2 * 2, kOdd = (size - 2) / 2 * 2 + 1;
  const double square = x * x;
  double even = coefficients[kEven], odd = coefficients[kOdd];
  for (size_t i = kEven; i >= 2; i -= 2) even = even * square + coefficients[i - 2];
  for (size_t i = kOdd; i >= 3; i -= 2) odd = odd * square + coefficients[i - 2];
  return even + odd * x;
}

// base^exponent as 2^(exponent log2(base)). Needs: a base that is positive and not subnormal, and a power
// between 2^-1000 and 2^1000.
inline double log_2(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t exponent = (bits - kRootOfHalfBits + kBiasBits) >> kMantissaBits;
  const auto mantissa = std::bit_cast<double>(bits - (exponent << kMantissaBits) + kBiasBits);
  const double z = (mantissa - 1) / (mantissa + 1);
  const double integer =
      std::bit_cast<double>(std::bit_cast<uint64_t>(kIntegers) | exponent) - (kIntegers + kExponentBias);
  return integer + z * polynomial(kLog2, z * z);
}
inline double exp_2(double x) {
  const double rounded = x + kRounder;
  const double power = polynomial(kExp2, x - (rounded - kRounder));
  return std::bit_cast<double>(std::bit_cast<uint64_t>(power) +
                               (std::bit_cast<uint64_t>(rounded) << kMantissaBits));
}
inline double power(double base, double exponent) { return exp_2(exponent * log_2(base)); }

// e^x. Needs: x from -690 to 690.
inline double exponential(double x) { return exp_2(x * std::numbers::log2e); }

// Needs: |x| of at most pi / 2 and a little more.
inline double sine(double x) { return x * polynomial(kSine, x * x); }

// Sine and cosine of x. Needs: |x| <= 1000.
struct SineCosine {
  double sine, cosine;
};
inline SineCosine sine_cosine(double x) {
  const double rounded = x * std::numbers::inv_pi + kRounder;
  const double half_turns = rounded - kRounder;
  const double rest = x - half_turns * kPiUpper - half_turns * kPiLower;
  // Half a turn changes both signs.
  const uint64_t sign = std::bit_cast<uint64_t>(rounded) << 63;
  const auto with_sign = [&](double v) { return std::bit_cast<double>(std::bit_cast<uint64_t>(v) ^ sign); };
  return {with_sign(sine(rest)), with_sign(polynomial(kCosine, rest * rest))};
}

// The angle of the point (x, y), -pi to pi; 0 for (0, 0).
inline double angle(double y, double x) {
  const double larger = std::max(std::abs(x), std::abs(y)), smaller = std::min(std::abs(x), std::abs(y));
  const bool is_steep = smaller > kEighthTurnHalfTangent * larger;
  const double ratio =
      (is_steep ? smaller - larger : smaller) / std::max(is_steep ? smaller + larger : larger, kLeastDivisor);
  double result = ratio * polynomial(kArcTangent, ratio * ratio);
  if (is_steep) result = result + kPi / 4;
  if (std::abs(y) > std::abs(x)) result = kPi / 2 - result;
  if (x < 0) result = kPi - result;
  return std::copysign(result, y);
}

}  // namespace vq::elementary
