#define HWY_TARGET_INCLUDE "feature/ssimulacra2/stages.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/ssimulacra2/ssimulacra2.h"

#if HWY_ONCE
namespace vq::ssimulacra2 {

constexpr float kThird = 1.0F / 3.0F, kFourThirds = 4.0F / 3.0F;

static float cube_root(float x) {
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

static float mixed(size_t k, float r, float g, float b) {
  const float m = kMixing[k][0] * r + (kMixing[k][1] * g + (kMixing[k][2] * b + kBias));
  return cube_root(std::max(m, 0.0F)) + kMinusRoot;
}

// at(k) is the sample at distance k, from -kReach to kReach.
template <typename At>
static float blurred(const At& at) {
  float sum = kTaps[0] * at(0);
  for (int k = 1; k <= kReach; ++k) sum = sum + kTaps[k] * (at(-k) + at(k));
  return sum;
}

static float reciprocal(float x) {
  float r = std::bit_cast<float>(kReciprocalStart - std::bit_cast<uint32_t>(x));
  for (int i = 0; i < 3; ++i) r = r * (2.0F - x * r);
  return r;
}

static std::array<float, kMaps> maps_at(float p, float q, const std::array<float, kQuantities>& blurred) {
  const float m1 = blurred[kFirst], m2 = blurred[kSecond];
  const float difference = m1 - m2, dm = difference * difference;
  const float den = (blurred[kSquares] - (m1 * m1 + m2 * m2)) + kContrast;
  const float e = blurred[kDifference] - dm;
  const float structure = (e + dm * (den - e)) * reciprocal(den);
  const float e1 = std::fabs(p - m1), e2 = std::fabs(q - m2);
  const float g = (e2 - e1) * reciprocal(1.0F + e1);
  return {std::max(structure, 0.0F), std::max(g, 0.0F), std::max(0.0F - g, 0.0F)};
}

static float fourth_power(float v) {
  const float square = v * v;
  return v > kLeastFourth ? square * square : 0.0F;
}

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

void scalar::blur_row(const float* row, int width, float* out) {
  for (int x = 0; x < width; ++x) out[x] = blurred([&](int k) { return row[x + k]; });
}

void scalar::blur_mixed(const float* p, const float* q, int width, const BlurScratch& scratch,
                        const MixedRows& out) {
  for (int x = -kReach; x < width + kReach; ++x) {
    const float difference = p[x] - q[x];
    scratch.squares[x] = p[x] * p[x] + q[x] * q[x];
    scratch.difference[x] = difference * difference;
  }
  blur_row(scratch.squares, width, out.squares);
  blur_row(scratch.difference, width, out.difference);
}

void scalar::compare_row(const CompareInput& in, const CompareOutput& out) {
  for (int x = 0; x < in.width; ++x) {
    std::array<float, kQuantities> means = {};
    for (size_t i = 0; i < kQuantities; ++i)
      means[i] = blurred([&](int k) { return in.rows[static_cast<size_t>(k + kReach)][i][x]; });
    const std::array<float, kMaps> maps = maps_at(in.p[x], in.q[x], means);
    for (size_t map = 0; map < kMaps; ++map) {
      const float values[kNorms] = {maps[map], fourth_power(maps[map])};
      for (size_t norm = 0; norm < kNorms; ++norm) {
        float* const sums = out.sums[sum_index(map, norm)];
        if (sums != nullptr) sums[x] = out.adds ? sums[x] + values[norm] : values[norm];
      }
      if (out.local != nullptr) out.local[x] = out.local[x] + out.weights[map] * maps[map];
    }
  }
  for (float* const sums : out.sums) {
    if (sums != nullptr) std::fill(sums + in.width, sums + tiles_of(in.width) * kTile, 0.0F);
  }
}

}  // namespace vq::ssimulacra2
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::ssimulacra2::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using V32 = hn::VFromD<F32>;

HWY_INLINE V32 all(float value) { return hn::Set(F32(), value); }

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

HWY_INLINE V32 reciprocal(V32 x) {
  const U32 u;
  V32 r = hn::BitCast(F32(), hn::Sub(hn::Set(u, kReciprocalStart), hn::BitCast(u, x)));
  for (int i = 0; i < 3; ++i) r = hn::Mul(r, hn::Sub(all(2.0F), hn::Mul(x, r)));
  return r;
}

HWY_INLINE V32 blurred_along(const float* row) {
  const F32 d;
  V32 sum = hn::Mul(all(kTaps[0]), hn::LoadU(d, row));
  for (int k = 1; k <= kReach; ++k)
    sum = hn::Add(sum, hn::Mul(all(kTaps[k]), hn::Add(hn::LoadU(d, row - k), hn::LoadU(d, row + k))));
  return sum;
}

void blur_row(const float* row, int width, float* out) {
  const F32 d;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d)))
    hn::StoreU(blurred_along(row + x), d, out + x);
}

// The scratch rows are 0 before the row, as p and q are. Vectors end within the guards, where p and q are 0
// as far as anything is used.
void blur_mixed(const float* p, const float* q, int width, const BlurScratch& scratch, const MixedRows& out) {
  const F32 d;
  for (int x = 0; x < width + kReach; x += static_cast<int>(hn::Lanes(d))) {
    const V32 a = hn::LoadU(d, p + x), b = hn::LoadU(d, q + x), difference = hn::Sub(a, b);
    hn::StoreU(hn::Add(hn::Mul(a, a), hn::Mul(b, b)), d, scratch.squares + x);
    hn::StoreU(hn::Mul(difference, difference), d, scratch.difference + x);
  }
  blur_row(scratch.squares, width, out.squares);
  blur_row(scratch.difference, width, out.difference);
}

HWY_INLINE V32 blurred_across(const CompareInput& in, size_t quantity, int x) {
  const F32 d;
  const auto row = [&](int k) HWY_ATTR {
    return hn::LoadU(d, in.rows[static_cast<size_t>(k + kReach)][quantity] + x);
  };
  V32 sum = hn::Mul(all(kTaps[0]), row(0));
  for (int k = 1; k <= kReach; ++k) sum = hn::Add(sum, hn::Mul(all(kTaps[k]), hn::Add(row(-k), row(k))));
  return sum;
}

HWY_INLINE V32 fourth_power(V32 v) {
  const V32 square = hn::Mul(v, v);
  return hn::IfThenElseZero(hn::Gt(v, all(kLeastFourth)), hn::Mul(square, square));
}

HWY_INLINE void add(float* sums, bool adds, V32 value) {
  const F32 d;
  hn::StoreU(adds ? hn::Add(hn::LoadU(d, sums), value) : value, d, sums);
}

HWY_INLINE void take(const CompareOutput& out, size_t map, int x, V32 value) {
  float* const mean = out.sums[sum_index(map, kMean)];
  float* const fourth = out.sums[sum_index(map, kFourth)];
  if (mean != nullptr) add(mean + x, out.adds, value);
  if (fourth != nullptr) add(fourth + x, out.adds, fourth_power(value));
  if (out.local == nullptr) return;
  const F32 d;
  float* const local = out.local + x;
  hn::StoreU(hn::Add(hn::LoadU(d, local), hn::Mul(all(out.weights[map]), value)), d, local);
}

HWY_INLINE bool wants(const CompareOutput& out, size_t map) {
  return out.sums[sum_index(map, kMean)] != nullptr || out.sums[sum_index(map, kFourth)] != nullptr;
}

void compare_row(const CompareInput& in, const CompareOutput& out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  const bool wants_structure = wants(out, kStructure), wants_detail = wants(out, kDetail);
  const bool wants_edges = wants_detail || wants(out, kArtefact);
  for (int x = 0; x < in.width; x += step) {
    const V32 m1 = blurred_across(in, kFirst, x), m2 = blurred_across(in, kSecond, x);
    const auto inside = hn::FirstN(d, static_cast<size_t>(std::min(in.width - x, step)));
    if (wants_structure) {
      const V32 both = blurred_across(in, kSquares, x), apart = blurred_across(in, kDifference, x);
      const V32 difference = hn::Sub(m1, m2), dm = hn::Mul(difference, difference);
      const V32 means = hn::Add(hn::Mul(m1, m1), hn::Mul(m2, m2));
      const V32 den = hn::Add(hn::Sub(both, means), all(kContrast)), e = hn::Sub(apart, dm);
      const V32 structure = hn::Mul(hn::Add(e, hn::Mul(dm, hn::Sub(den, e))), reciprocal(den));
      take(out, kStructure, x, hn::IfThenElseZero(inside, hn::Max(structure, hn::Zero(d))));
    }
    if (!wants_edges) continue;
    const V32 e1 = hn::Abs(hn::Sub(hn::LoadU(d, in.p + x), m1)),
              e2 = hn::Abs(hn::Sub(hn::LoadU(d, in.q + x), m2));
    const V32 g = hn::IfThenElseZero(inside, hn::Mul(hn::Sub(e2, e1), reciprocal(hn::Add(all(1.0F), e1))));
    take(out, kArtefact, x, hn::Max(g, hn::Zero(d)));
    if (wants_detail) take(out, kDetail, x, hn::Max(hn::Sub(hn::Zero(d), g), hn::Zero(d)));
  }
  const int written = (in.width + step - 1) / step * step, end = tiles_of(in.width) * kTile;
  for (float* const sums : out.sums) {
    if (sums != nullptr && written < end) std::fill(sums + written, sums + end, 0.0F);
  }
}

}  // namespace vq::ssimulacra2::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::ssimulacra2, to_xyb, halve_rows, blur_row, blur_mixed, compare_row)
#endif  // HWY_ONCE
