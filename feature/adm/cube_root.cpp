#include "feature/adm/plan.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vq::adm {
namespace {

// The tables and the order of operations are those of "optimized routines" (Arm, 2018), which both C
// libraries took powf() from: a number is 2^e z with z close to 1, its logarithm e + log2(c) + log2(z / c)
// with c from a table, and a power of 2 a power of 2^(1/32) from a table times a polynomial.
constexpr int kIntervals = 16;
// Of each interval of z: 1/c and log2(c).
constexpr std::array<double, kIntervals> kInverses = {
    0x1.661ec79f8f3bep+0, 0x1.571ed4aaf883dp+0,
    0x1.49539f0f010bp+0,  0x1.3c995b0b80385p+0,
    0x1.30d190c8864a5p+0, 0x1.25e227b0b8eap+0,
    0x1.1bb4a4a1a343fp+0, 0x1.12358f08ae5bap+0,
    0x1.0953f419900a7p+0, 0x1p+0,
    0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,
    0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1,
    0x1.886e6037841edp-1, 0x1.767dcf5534862p-1,
};
constexpr std::array<double, kIntervals> kLogs = {
    -0x1.efec65b963019p-2, -0x1.b0b6832d4fca4p-2,
    -0x1.7418b0a1fb77bp-2, -0x1.39de91a6dcf7bp-2,
    -0x1.01d9bf3f2b631p-2, -0x1.97c1d1b3b7afp-3,
    -0x1.2f9e393af3c9fp-3, -0x1.960cbbf788d5cp-4,
    -0x1.a6f9db6475fcep-5, 0x0p+0,
    0x1.338ca9f24f53dp-4,  0x1.476a9543891bap-3,
    0x1.e840b4ac4e4d2p-3,  0x1.40645f0c6651cp-2,
    0x1.88e9c2c1b9ff8p-2,  0x1.ce0a44eb17bccp-2,
};
// Of log2(1 + r), the highest power first.
constexpr std::array<double, 5> kLogTerms = {
    0x1.27616c9496e0bp-2,  -0x1.71969a075c67ap-2, 0x1.ec70a6ca7baddp-2,
    -0x1.7154748bef6c8p-1, 0x1.71547652ab82bp+0,
};
constexpr int kSteps = 32;
// 2^(i/32).
constexpr std::array<double, kSteps> kPowers = {
    0x1p+0,
    0x1.059b0d3158574p+0,
    0x1.0b5586cf9890fp+0,
    0x1.11301d0125b51p+0,
    0x1.172b83c7d517bp+0,
    0x1.1d4873168b9aap+0,
    0x1.2387a6e756238p+0,
    0x1.29e9df51fdee1p+0,
    0x1.306fe0a31b715p+0,
    0x1.371a7373aa9cbp+0,
    0x1.3dea64c123422p+0,
    0x1.44e086061892dp+0,
    0x1.4bfdad5362a27p+0,
    0x1.5342b569d4f82p+0,
    0x1.5ab07dd485429p+0,
    0x1.6247eb03a5585p+0,
    0x1.6a09e667f3bcdp+0,
    0x1.71f75e8ec5f74p+0,
    0x1.7a11473eb0187p+0,
    0x1.82589994cce13p+0,
    0x1.8ace5422aa0dbp+0,
    0x1.93737b0cdc5e5p+0,
    0x1.9c49182a3f090p+0,
    0x1.a5503b23e255dp+0,
    0x1.ae89f995ad3adp+0,
    0x1.b7f76f2fb5e47p+0,
    0x1.c199bdd85529cp+0,
    0x1.cb720dcef9069p+0,
    0x1.d5818dcfba487p+0,
    0x1.dfc97337b9b5fp+0,
    0x1.ea4afa2a490dap+0,
    0x1.f50765b6e4540p+0,
};
// Of 2^r, the highest power first; the last term is 1.
constexpr std::array<double, 3> kPowerTerms = {
    0x1.c6af84b912394p-5,
    0x1.ebfce50fac4f3p-3,
    0x1.62e42ff0c52d6p-1,
};
// The bits of the float where the first interval begins: about 0.7.
constexpr uint32_t kFirst = 0x3f330000;
constexpr int kMantissaBits = 23;
constexpr double kThird = 1.0F / 3.0F;

// Of a positive normal float of these bits, and `exponent` more.
double log2_of(uint32_t bits, int exponent) {
  const auto offset = static_cast<int32_t>(bits - kFirst);
  const auto i = static_cast<size_t>((offset >> (kMantissaBits - 4)) & (kIntervals - 1));
  const int32_t e = offset >> kMantissaBits;
  const double z = std::bit_cast<float>(bits - (static_cast<uint32_t>(e) << kMantissaBits));
  const double r = z * kInverses[i] - 1;
  const double r2 = r * r;
  double low = kLogTerms[4] * r + (kLogs[i] + (e + exponent));
  low = (kLogTerms[2] * r + kLogTerms[3]) * r2 + low;
  return (kLogTerms[0] * r + kLogTerms[1]) * (r2 * r2) + low;
}

// Needs: a y of a few hundred at most.
float power_of_2(double y) {
  const auto n = static_cast<int>(std::nearbyint(y * kSteps));
  const double r = y - static_cast<double>(n) / kSteps;
  const double scale = std::ldexp(kPowers[static_cast<size_t>(n & (kSteps - 1))], n >> 5);
  return static_cast<float>(((kPowerTerms[0] * r + kPowerTerms[1]) * (r * r) + (kPowerTerms[2] * r + 1)) *
                            scale);
}

}  // namespace

float cube_root(float x) {
  if (x == 0) return 0;
  if (!(x > 0)) return std::numeric_limits<float>::quiet_NaN();
  if (std::isinf(x)) return x;
  if (x >= std::numeric_limits<float>::min())
    return power_of_2(kThird * log2_of(std::bit_cast<uint32_t>(x), 0));
  const float normal = x * static_cast<float>(1 << kMantissaBits);
  return power_of_2(kThird * log2_of(std::bit_cast<uint32_t>(normal), -kMantissaBits));
}

}  // namespace vq::adm
