#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/ssimulacra2/xyb.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "feature/simd_targets.h"
#include "feature/ssimulacra2/plan.h"

#if HWY_ONCE
namespace vq::ssimulacra2 {
namespace {

constexpr float kThird = 1.0F / 3.0F, kFourThirds = 4.0F / 3.0F;

float cube_root(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  float r = bits < kLeastRootBits ? 0 : std::bit_cast<float>(kRootStart - (bits >> 23) * kRootSlope);
  const float third = kThird * x;
  for (int i = 0; i < 3; ++i) {
    const float r2 = r * r;
    r = kFourThirds * r - third * (r2 * r2);
  }
  const float r2 = r * r;
  r = r + kThird * (r - x * (r2 * r2));
  return (r * r) * x;
}

float mixed(size_t k, float r, float g, float b) {
  const float m = kMixing[k][0] * r + (kMixing[k][1] * g + (kMixing[k][2] * b + kBias));
  return cube_root(std::max(m, 0.0F)) + kMinusRoot;
}

}  // namespace

void scalar::to_xyb(const LightRow& light, int width, const XybRow& out) {
  for (int x = 0; x < width; ++x) {
    const float r = light.r[x], g = light.g[x], b = light.b[x];
    const float c0 = mixed(0, r, g, b), c1 = mixed(1, r, g, b), y = 0.5F * (c0 + c1);
    if (out[kX] != nullptr) out[kX][x] = (0.5F * (c0 - c1)) * 14.0F + 0.42F;
    if (out[kY] != nullptr) out[kY][x] = y + 0.01F;
    if (out[kB] != nullptr) out[kB][x] = (mixed(2, r, g, b) - y) + 0.55F;
  }
}

void scalar::halve_rows(const float* upper, const float* lower, int width, float* out) {
  for (int x = 0; x < width; x += 2) {
    const int next = std::min(x + 1, width - 1);
    out[x / 2] = (((upper[x] + upper[next]) + lower[x]) + lower[next]) * 0.25F;
  }
}

}  // namespace vq::ssimulacra2
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::ssimulacra2 {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::halve_rows;
using scalar::to_xyb;
#else
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using V32 = hn::VFromD<F32>;

HWY_INLINE V32 all(float value) {
  return hn::Set(F32(), value);
}

HWY_INLINE V32 cube_root(V32 x) {
  const F32 d;
  const U32 u;
  const auto bits = hn::BitCast(u, x);
  const auto start =
      hn::Sub(hn::Set(u, kRootStart), hn::Mul(hn::ShiftRight<23>(bits), hn::Set(u, kRootSlope)));
  const auto is_0 = hn::Lt(x, hn::BitCast(d, hn::Set(u, kLeastRootBits)));
  V32 r = hn::IfThenZeroElse(is_0, hn::BitCast(d, start));
  const V32 third = hn::Mul(all(1.0F / 3.0F), x);
  for (int i = 0; i < 3; ++i) {
    const V32 r2 = hn::Mul(r, r);
    r = hn::Sub(hn::Mul(all(4.0F / 3.0F), r), hn::Mul(third, hn::Mul(r2, r2)));
  }
  const V32 r2 = hn::Mul(r, r);
  r = hn::Add(r, hn::Mul(all(1.0F / 3.0F), hn::Sub(r, hn::Mul(x, hn::Mul(r2, r2)))));
  return hn::Mul(hn::Mul(r, r), x);
}

HWY_INLINE V32 mixed(size_t k, V32 r, V32 g, V32 b) {
  V32 m = hn::Add(hn::Mul(all(kMixing[k][2]), b), all(kBias));
  m = hn::Add(hn::Mul(all(kMixing[k][1]), g), m);
  m = hn::Add(hn::Mul(all(kMixing[k][0]), r), m);
  return hn::Add(cube_root(hn::Max(m, hn::Zero(F32()))), all(kMinusRoot));
}

void to_xyb(const LightRow& light, int width, const XybRow& out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += step) {
    const V32 r = hn::LoadU(d, light.r + x), g = hn::LoadU(d, light.g + x), b = hn::LoadU(d, light.b + x);
    const V32 c0 = mixed(0, r, g, b), c1 = mixed(1, r, g, b), y = hn::Mul(all(0.5F), hn::Add(c0, c1));
    if (out[kX] != nullptr) {
      const V32 difference = hn::Mul(all(0.5F), hn::Sub(c0, c1));
      hn::StoreU(hn::Add(hn::Mul(difference, all(14.0F)), all(0.42F)), d, out[kX] + x);
    }
    if (out[kY] != nullptr) hn::StoreU(hn::Add(y, all(0.01F)), d, out[kY] + x);
    if (out[kB] != nullptr) hn::StoreU(hn::Add(hn::Sub(mixed(2, r, g, b), y), all(0.55F)), d, out[kB] + x);
  }
}

// The last samples, fewer than a vector, are left to the scalar version.
void halve_rows(const float* upper, const float* lower, int width, float* out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d)), whole = width / 2;
  int x = 0;
  for (; x + step <= whole; x += step) {
    V32 a, b, c, e;
    hn::LoadInterleaved2(d, upper + ptrdiff_t{2} * x, a, b);
    hn::LoadInterleaved2(d, lower + ptrdiff_t{2} * x, c, e);
    hn::StoreU(hn::Mul(hn::Add(hn::Add(hn::Add(a, b), c), e), all(0.25F)), d, out + x);
  }
  scalar::halve_rows(upper + ptrdiff_t{2} * x, lower + ptrdiff_t{2} * x, width - 2 * x, out + x);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::ssimulacra2
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::ssimulacra2, to_xyb)
VQ_STAGE(vq::ssimulacra2, halve_rows)
#endif  // HWY_ONCE
