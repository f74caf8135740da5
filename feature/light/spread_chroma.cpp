#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/light/spread_chroma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "feature/light/conversion.h"
#include "feature/simd_targets.h"

#ifndef VQ_LIGHT_SPREAD_CHROMA_ONCE
#define VQ_LIGHT_SPREAD_CHROMA_ONCE
namespace vq::light {
namespace {

float sample(const SampleRow& row, int x) {
  return row.u8 != nullptr ? row.u8[x] : row.u16[x];
}

float sum_of(const Axis::Taps& taps, float a, float b, float c, float d) {
  return ((taps[0] * a + taps[1] * b) + taps[2] * c) + taps[3] * d;
}

// Repeats the samples at both ends of a row, as far as interpolation reads.
void extend(float* row, int width) {
  for (int i = 1; i <= 3; ++i) {
    row[-i] = row[0];
    row[width - 1 + i] = row[width - 1];
  }
}

}  // namespace
}  // namespace vq::light
#endif  // VQ_LIGHT_SPREAD_CHROMA_ONCE

#if HWY_ONCE
namespace vq::light {

void scalar::spread_chroma(const SampleRow& in, const ChromaRow& how, int width, float* out) {
  float* const scaled = how.scratch;
  for (int x = 0; x < in.width; ++x) scaled[x] = (sample(in, x) - how.scale.offset) * how.scale.factor;
  const Axis& axis = *how.axis;
  for (int x = 0; x < width; ++x) {
    const auto phase = static_cast<size_t>(x & (axis.phases() - 1));
    const int first = (x >> axis.shift) + axis.first[phase];
    const auto at = [&](int i) { return scaled[std::clamp(first + i, 0, in.width - 1)]; };
    out[x] = sum_of(axis.taps[phase], at(0), at(1), at(2), at(3));
  }
}

void scalar::blend_rows(const float* const rows[Axis::kTaps], const Axis::Taps& taps, int width, float* out) {
  for (int x = 0; x < width; ++x) out[x] = sum_of(taps, rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
}

}  // namespace vq::light
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::light {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::blend_rows;
using scalar::spread_chroma;
#else
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using S32 = hn::RebindToSigned<F32>;
using V32 = hn::VFromD<F32>;

template <typename T>
HWY_INLINE V32 load(const T* in) {
  return hn::ConvertTo(F32(), hn::PromoteTo(S32(), hn::LoadU(hn::Rebind<T, F32>(), in)));
}

template <typename T>
void scale_row(const T* in, int width, const Scale& scale, float* out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  const V32 offset = hn::Set(d, scale.offset), factor = hn::Set(d, scale.factor);
  int x = 0;
  for (; x + step <= width; x += step) hn::StoreU(hn::Mul(hn::Sub(load(in + x), offset), factor), d, out + x);
  for (; x < width; ++x) out[x] = (static_cast<float>(in[x]) - scale.offset) * scale.factor;
}

HWY_INLINE V32 sum_of(const Axis::Taps& taps, V32 a, V32 b, V32 c, V32 e) {
  const F32 d;
  V32 sum = hn::Mul(hn::Set(d, taps[0]), a);
  sum = hn::Add(sum, hn::Mul(hn::Set(d, taps[1]), b));
  sum = hn::Add(sum, hn::Mul(hn::Set(d, taps[2]), c));
  return hn::Add(sum, hn::Mul(hn::Set(d, taps[3]), e));
}

// The samples of one phase for chroma samples from `m` on.
HWY_INLINE V32 phase_at(const float* scaled, const Axis& axis, size_t phase, int m) {
  const F32 d;
  const float* const from = scaled + m + axis.first[phase];
  if (axis.is_plain(static_cast<int>(phase))) return hn::LoadU(d, from + 1);
  return sum_of(axis.taps[phase], hn::LoadU(d, from), hn::LoadU(d, from + 1), hn::LoadU(d, from + 2),
                hn::LoadU(d, from + 3));
}

// Two outputs for every chroma sample. What lies behind the row is made of anything.
void spread_by_two(const float* scaled, const Axis& axis, int width, float* out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + 2 * step <= width; x += 2 * step)
    hn::StoreInterleaved2(phase_at(scaled, axis, 0, x / 2), phase_at(scaled, axis, 1, x / 2), d, out + x);
  for (; x < width; ++x) {
    const auto phase = static_cast<size_t>(x & 1);
    const float* const from = scaled + x / 2 + axis.first[phase];
    out[x] = light::sum_of(axis.taps[phase], from[0], from[1], from[2], from[3]);
  }
}

void spread_chroma(const SampleRow& in, const ChromaRow& how, int width, float* out) {
  const Axis& axis = *how.axis;
  if (axis.shift > 1) return scalar::spread_chroma(in, how, width, out);
  float* const scaled = axis.shift == 0 ? out : how.scratch;
  if (in.u8 != nullptr) {
    scale_row(in.u8, in.width, how.scale, scaled);
  } else {
    scale_row(in.u16, in.width, how.scale, scaled);
  }
  if (axis.shift == 0) return;
  extend(scaled, in.width);
  spread_by_two(scaled, axis, width, out);
}

void blend_rows(const float* const rows[Axis::kTaps], const Axis::Taps& taps, int width, float* out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += step) {
    const V32 sum = sum_of(taps, hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[1] + x),
                           hn::LoadU(d, rows[2] + x), hn::LoadU(d, rows[3] + x));
    hn::StoreU(sum, d, out + x);
  }
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::light
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::light, spread_chroma)
VQ_STAGE(vq::light, blend_rows)
#endif  // HWY_ONCE
