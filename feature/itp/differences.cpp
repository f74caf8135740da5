#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/itp/differences.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "feature/itp/itp.h"

#if HWY_ONCE
namespace vq::itp {

const PqTable& pq_table() {
  static const PqTable kTable = [] {
    PqTable table;
    for (uint32_t i = 0; i < kPqSteps; ++i) {
      const double light = std::bit_cast<float>(kLeastLightBits + (i << kPqShift));
      table[i] = static_cast<float>(light::pq_of_light(std::min(light, double{kMostLight})));
    }
    return table;
  }();
  return kTable;
}

namespace {

constexpr uint32_t kLowBits = (1U << kPqShift) - 1;

using Row = std::array<float, 3>;

float pq_of(const PqTable& table, const Row& row, const Row& rgb) {
  const float x = std::max((row[0] * rgb[0] + row[1] * rgb[1]) + row[2] * rgb[2], 0.0F);
  if (x < kLeastLight) return kPqOfDarkness;
  const uint32_t bits = std::bit_cast<uint32_t>(std::min(x, kMostLight)) - kLeastLightBits;
  const float low = table[bits >> kPqShift], high = table[(bits >> kPqShift) + 1];
  return low + static_cast<float>(bits & kLowBits) * 0x1p-15F * (high - low);
}

float root(float z) {
  if (z < kLeastSquare) return 0;
  auto r = std::bit_cast<float>(kRootStart - (std::bit_cast<uint32_t>(z) >> 1));
  const float half = 0.5F * z;
  for (int i = 0; i < 3; ++i) r = r * (1.5F - half * (r * r));
  return z * r;
}

uint64_t squared_error(float first, float second) {
  const auto code = [](float pq) { return static_cast<int64_t>(pq * kPqPeak + 0.5F); };
  const int64_t difference = code(first) - code(second);
  return static_cast<uint64_t>(difference * difference);
}

}  // namespace

PqErrors scalar::differences(const Compared& rows, int width, uint32_t* out) {
  const PqTable& table = pq_table();
  PqErrors errors;
  for (int x = 0; x < width; ++x) {
    const Row first = {rows.first.r[x], rows.first.g[x], rows.first.b[x]},
              second = {rows.second.r[x], rows.second.g[x], rows.second.b[x]};
    std::array<float, kRows> of_first, of_second;
    for (size_t k = 0; k < kRows; ++k) {
      of_first[k] = pq_of(table, rows.first_matrices[k], first);
      of_second[k] = pq_of(table, rows.second_matrices[k], second);
    }
    const float l = of_first[kLms] - of_second[kLms], m = of_first[kLms + 1] - of_second[kLms + 1],
                s = of_first[kLms + 2] - of_second[kLms + 2];
    const float i = 0.5F * (l + m), t = (kCt[0] * l - kCt[1] * m) + kCt[2] * s,
                p = (kCp[0] * l - kCp[1] * m) - kCp[2] * s;
    const float amount = root((i * i + t * t) + p * p) * kDeltaE + 0.5F;
    out[x] = static_cast<uint32_t>(std::min(amount, static_cast<float>(light::kMostAmount)));
    errors.luminance += squared_error(of_first[kLuminance], of_second[kLuminance]);
    for (size_t k = kRgb; k < kRows; ++k) errors.rgb += squared_error(of_first[k], of_second[k]);
  }
  return errors;
}

}  // namespace vq::itp
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::itp {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::differences;
#else

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using S32 = hn::RebindToSigned<F32>;
using VF = hn::VFromD<F32>;
using VU = hn::VFromD<U32>;

HWY_INLINE VF all(float value) {
  return hn::Set(F32(), value);
}

// Zeros behind the last sample, which find their place in the table and differ in nothing.
HWY_INLINE VF load(const float* row, int x, int width) {
  const F32 d;
  return hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(width - x)), hn::LoadU(d, row + x));
}

HWY_INLINE VF pq_of(const float* table, const std::array<float, 3>& row, VF r, VF g, VF b) {
  const F32 d;
  const U32 u;
  const VF sum = hn::Add(hn::Add(hn::Mul(all(row[0]), r), hn::Mul(all(row[1]), g)), hn::Mul(all(row[2]), b));
  const VF x = hn::Min(hn::Max(sum, hn::Zero(d)), all(kMostLight));
  const VU bits = hn::Sub(hn::BitCast(u, hn::Max(x, all(kLeastLight))), hn::Set(u, kLeastLightBits));
  const auto i = hn::BitCast(S32(), hn::ShiftRight<static_cast<int>(kPqShift)>(bits));
  const auto rest = hn::BitCast(S32(), hn::And(bits, hn::Set(u, (1U << kPqShift) - 1)));
  const VF f = hn::Mul(hn::ConvertTo(d, rest), all(0x1p-15F));
  const VF low = hn::GatherIndex(d, table, i), high = hn::GatherIndex(d, table + 1, i);
  const VF pq = hn::Add(low, hn::Mul(f, hn::Sub(high, low)));
  return hn::IfThenElse(hn::Lt(x, all(kLeastLight)), all(kPqOfDarkness), pq);
}

HWY_INLINE VF root(VF z) {
  const U32 u;
  const VF y = hn::Max(z, all(kLeastSquare)), half = hn::Mul(all(0.5F), y);
  VF r = hn::BitCast(F32(), hn::Sub(hn::Set(u, kRootStart), hn::ShiftRight<1>(hn::BitCast(u, y))));
  for (int i = 0; i < 3; ++i) r = hn::Mul(r, hn::Sub(all(1.5F), hn::Mul(half, hn::Mul(r, r))));
  return hn::IfThenElseZero(hn::Ge(z, all(kLeastSquare)), hn::Mul(y, r));
}

HWY_INLINE VU code_of(VF pq) {
  return hn::BitCast(U32(), hn::ConvertTo(S32(), hn::Add(hn::Mul(pq, all(kPqPeak)), all(0.5F))));
}

// Adds the squared difference of PQ codes, its lower and its upper 16 bits. The sums of a row fit 32 bits.
static_assert(int64_t{kMaxSide} * 3 * UINT16_MAX <= UINT32_MAX);
HWY_INLINE void add_error(VF first, VF second, VU& low, VU& high) {
  const U32 u;
  const VU difference = hn::Sub(code_of(first), code_of(second)), square = hn::Mul(difference, difference);
  low = hn::Add(low, hn::And(square, hn::Set(u, 0xFFFF)));
  high = hn::Add(high, hn::ShiftRight<16>(square));
}
HWY_INLINE uint64_t total(VU low, VU high) {
  const U32 u;
  return hn::GetLane(hn::SumOfLanes(u, low)) + (uint64_t{hn::GetLane(hn::SumOfLanes(u, high))} << 16);
}

PqErrors differences(const Compared& rows, int width, uint32_t* out) {
  const F32 d;
  const float* const table = pq_table().data();
  const int step = static_cast<int>(hn::Lanes(d));
  VU low = hn::Zero(U32()), high = low, low_rgb = low, high_rgb = low;
  for (int x = 0; x < width; x += step) {
    const VF r1 = load(rows.first.r, x, width), g1 = load(rows.first.g, x, width),
             b1 = load(rows.first.b, x, width);
    const VF r2 = load(rows.second.r, x, width), g2 = load(rows.second.g, x, width),
             b2 = load(rows.second.b, x, width);
    const auto of_first = [&](size_t k) HWY_ATTR { return pq_of(table, rows.first_matrices[k], r1, g1, b1); };
    const auto of_second = [&](size_t k)
                               HWY_ATTR { return pq_of(table, rows.second_matrices[k], r2, g2, b2); };
    const VF l = hn::Sub(of_first(kLms), of_second(kLms)),
             m = hn::Sub(of_first(kLms + 1), of_second(kLms + 1)),
             s = hn::Sub(of_first(kLms + 2), of_second(kLms + 2));
    const VF i = hn::Mul(all(0.5F), hn::Add(l, m));
    const VF t = hn::Add(hn::Sub(hn::Mul(all(kCt[0]), l), hn::Mul(all(kCt[1]), m)), hn::Mul(all(kCt[2]), s));
    const VF p = hn::Sub(hn::Sub(hn::Mul(all(kCp[0]), l), hn::Mul(all(kCp[1]), m)), hn::Mul(all(kCp[2]), s));
    const VF z = hn::Add(hn::Add(hn::Mul(i, i), hn::Mul(t, t)), hn::Mul(p, p));
    const VF amount = hn::Min(hn::Add(hn::Mul(root(z), all(kDeltaE)), all(0.5F)),
                              all(static_cast<float>(light::kMostAmount)));
    hn::StoreU(hn::BitCast(U32(), hn::ConvertTo(S32(), amount)), U32(), out + x);
    add_error(of_first(kLuminance), of_second(kLuminance), low, high);
    for (size_t k = kRgb; k < kRows; ++k) add_error(of_first(k), of_second(k), low_rgb, high_rgb);
  }
  return {total(low, high), total(low_rgb, high_rgb)};
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::itp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_DISPATCH(vq::itp, differences)
#endif  // HWY_ONCE
