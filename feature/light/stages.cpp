#define HWY_TARGET_INCLUDE "feature/light/stages.cpp"
#include <hwy/foreach_target.h>

#include "feature/light/light.h"
#include "feature/light/powers-inl.h"

#ifndef VQ_LIGHT_STAGES_ONCE
#define VQ_LIGHT_STAGES_ONCE
namespace vq::light {

static float sample(const SampleRow& row, int x) { return row.u8 != nullptr ? row.u8[x] : row.u16[x]; }

static float scaled_by(const Scale& scale, float sample) {
  return std::clamp((sample - scale.offset) * scale.factor, scale.least, scale.most);
}

static float sum_of(const Axis::Taps& taps, float a, float b, float c, float d) {
  return ((taps[0] * a + taps[1] * b) + taps[2] * c) + taps[3] * d;
}

// Repeats the samples at both ends of a row, as far as interpolation reads.
static void extend(float* row, int width) {
  for (int i = 1; i <= 3; ++i) {
    row[-i] = row[0];
    row[width - 1 + i] = row[width - 1];
  }
}

static float power_0_2(float x) {
  if (x <= kLeastValue) return 0;
  const float r = fifth_root_of_inverse(x, 3), r2 = r * r;
  return x * (r2 * r2);
}

static float light_of(const Conversion& conversion, float v) {
  const float a = std::fabs(v);
  if (a <= kLeastValue) return 0;
  float light = 0;
  switch (conversion.reading.curve) {
    case Curve::kBt1886:
      light = power_2_4(a);
      break;
    case Curve::kSrgb:
      light = a > kSrgbLimit ? power_2_4((a + kSrgbOffset) * kSrgbFactor) : a * kSrgbSlope;
      break;
    case Curve::kLinear:
      light = a;
      break;
    case Curve::kPq:
    case Curve::kHlg:
      return from_table(conversion.curve.data(), std::clamp(v, 0.0F, 1.0F));
  }
  return v < 0 ? -light : light;
}

using Rgb = std::array<float, 3>;

static Rgb components(float y, float cb, float cr, const Conversion& conversion) {
  if (conversion.reading.matrix == Matrix::kRgb) return {cr, y, cb};
  const float r = y + conversion.red_of_cr * cr, b = y + conversion.blue_of_cb * cb;
  return {r, ((y - conversion.kr * r) - conversion.kb * b) * conversion.one_over_kg, b};
}

static float weighted(const float (&weights)[3], const Rgb& rgb) {
  return (weights[0] * rgb[0] + weights[1] * rgb[1]) + weights[2] * rgb[2];
}

void scalar::spread_chroma(const SampleRow& in, const ChromaRow& how, int width, float* out) {
  float* const scaled = how.scratch;
  for (int x = 0; x < in.width; ++x) scaled[x] = scaled_by(how.scale, sample(in, x));
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

void scalar::to_light(const SampleRow& luma, const float* cb, const float* cr, const Conversion& conversion,
                      RgbRow<float> out) {
  for (int x = 0; x < luma.width; ++x) {
    const float sample = luma.u8 != nullptr ? luma.u8[x] : luma.u16[x];
    const float y = scaled_by(conversion.luma, sample);
    Rgb rgb = components(y, cb[x], cr[x], conversion);
    for (float& each : rgb) each = light_of(conversion, each);
    if (conversion.reading.curve == Curve::kHlg) {
      const float gain = power_0_2(weighted(kLuminance, rgb));
      for (float& each : rgb) each = each * gain;
    }
    if (conversion.reading.has_bt2020_primaries) {
      rgb = {weighted(kBt2020ToBt709[0], rgb), weighted(kBt2020ToBt709[1], rgb),
             weighted(kBt2020ToBt709[2], rgb)};
    }
    out.r[x] = rgb[0];
    out.g[x] = rgb[1];
    out.b[x] = rgb[2];
  }
}

}  // namespace vq::light
#endif  // VQ_LIGHT_STAGES_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::light::HWY_NAMESPACE {
template <typename T>
HWY_INLINE V32 load(const T* in) {
  return hn::ConvertTo(F32(), hn::PromoteTo(S32(), hn::LoadU(hn::Rebind<T, F32>(), in)));
}

HWY_INLINE V32 scaled_by(const Scale& scale, V32 sample) {
  const F32 d;
  const V32 value = hn::Mul(hn::Sub(sample, hn::Set(d, scale.offset)), hn::Set(d, scale.factor));
  return hn::Min(hn::Max(value, hn::Set(d, scale.least)), hn::Set(d, scale.most));
}

template <typename T>
void scale_row(const T* in, int width, const Scale& scale, float* out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + step <= width; x += step) hn::StoreU(scaled_by(scale, load(in + x)), d, out + x);
  for (; x < width; ++x) out[x] = light::scaled_by(scale, static_cast<float>(in[x]));
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

HWY_INLINE V32 power_0_2(V32 x) {
  const V32 r = fifth_root_of_inverse(hn::Max(x, all(kLeastValue)), 3), r2 = hn::Mul(r, r);
  return hn::IfThenElseZero(hn::Gt(x, all(kLeastValue)), hn::Mul(x, hn::Mul(r2, r2)));
}

template <Curve curve>
HWY_INLINE V32 light_of(const float* table, V32 v) {
  const V32 a = hn::Abs(v);
  const auto is_lit = hn::Gt(a, all(kLeastValue));
  if constexpr (curve == Curve::kLinear) return hn::IfThenElseZero(is_lit, v);
  if constexpr (curve == Curve::kPq || curve == Curve::kHlg)
    return hn::IfThenElseZero(is_lit, from_table(table, hn::Min(hn::Max(v, hn::Zero(F32())), all(1))));
  V32 light = hn::Zero(F32());
  const V32 safe = hn::Max(a, all(kLeastValue));
  if constexpr (curve == Curve::kSrgb) {
    const V32 power = power_2_4(hn::Mul(hn::Add(safe, all(kSrgbOffset)), all(kSrgbFactor)));
    light = hn::IfThenElse(hn::Gt(a, all(kSrgbLimit)), power, hn::Mul(a, all(kSrgbSlope)));
  } else {
    light = power_2_4(safe);
  }
  return hn::IfThenElseZero(is_lit, hn::CopySignToAbs(light, v));
}

template <Curve curve>
HWY_INLINE void convert(V32 y, V32 cb, V32 cr, const Conversion& conversion, V32& r, V32& g, V32& b) {
  if (conversion.reading.matrix == Matrix::kRgb) {
    r = cr, g = y, b = cb;
  } else {
    r = hn::Add(y, hn::Mul(all(conversion.red_of_cr), cr));
    b = hn::Add(y, hn::Mul(all(conversion.blue_of_cb), cb));
    g = hn::Sub(hn::Sub(y, hn::Mul(all(conversion.kr), r)), hn::Mul(all(conversion.kb), b));
    g = hn::Mul(g, all(conversion.one_over_kg));
  }
  const float* const table = conversion.curve.data();
  r = light_of<curve>(table, r);
  g = light_of<curve>(table, g);
  b = light_of<curve>(table, b);
  if constexpr (curve == Curve::kHlg) {
    const V32 gain = power_0_2(weighted(kLuminance, r, g, b));
    r = hn::Mul(r, gain), g = hn::Mul(g, gain), b = hn::Mul(b, gain);
  }
  if (!conversion.reading.has_bt2020_primaries) return;
  const V32 red = r, green = g, blue = b;
  r = weighted(kBt2020ToBt709[0], red, green, blue);
  g = weighted(kBt2020ToBt709[1], red, green, blue);
  b = weighted(kBt2020ToBt709[2], red, green, blue);
}

// The row of luma has no guards: its last samples are copied first. All else runs on into guards.
template <Curve curve, typename T>
void convert_row(const T* luma, const float* cb, const float* cr, const Conversion& conversion,
                 RgbRow<float> out) {
  const F32 d;
  const int step = static_cast<int>(hn::Lanes(d)), width = conversion.size.width;
  const auto at = [&](int x, const T* samples) HWY_ATTR {
    const V32 y = scaled_by(conversion.luma, load(samples));
    V32 r, g, b;
    convert<curve>(y, hn::LoadU(d, cb + x), hn::LoadU(d, cr + x), conversion, r, g, b);
    hn::StoreU(r, d, out.r + x);
    hn::StoreU(g, d, out.g + x);
    hn::StoreU(b, d, out.b + x);
  };
  int x = 0;
  for (; x + step <= width; x += step) at(x, luma + x);
  if (x == width) return;
  T last[kRowGuardBytes / sizeof(float)] = {};
  std::copy(luma + x, luma + width, last);
  at(x, last);
}

template <typename T>
void convert_row(const T* luma, const float* cb, const float* cr, const Conversion& conversion,
                 RgbRow<float> out) {
  switch (conversion.reading.curve) {
    case Curve::kBt1886:
      return convert_row<Curve::kBt1886>(luma, cb, cr, conversion, out);
    case Curve::kSrgb:
      return convert_row<Curve::kSrgb>(luma, cb, cr, conversion, out);
    case Curve::kLinear:
      return convert_row<Curve::kLinear>(luma, cb, cr, conversion, out);
    case Curve::kPq:
      return convert_row<Curve::kPq>(luma, cb, cr, conversion, out);
    case Curve::kHlg:
      return convert_row<Curve::kHlg>(luma, cb, cr, conversion, out);
  }
}

void to_light(const SampleRow& luma, const float* cb, const float* cr, const Conversion& conversion,
              RgbRow<float> out) {
  if (luma.u8 != nullptr) return convert_row(luma.u8, cb, cr, conversion, out);
  convert_row(luma.u16, cb, cr, conversion, out);
}

}  // namespace vq::light::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::light, spread_chroma, blend_rows, to_light)
#endif  // HWY_ONCE
