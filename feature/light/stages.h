// The stages of light, a row at a time. Every implementation gives the same bits: floats are added,
// subtracted and multiplied in the order given here, rounded each time, and nothing is fused. No value is
// subnormal. Stages never throw and never allocate.
#pragma once

#include <cstdint>

#include "core/frame.h"
#include "feature/light/conversion.h"

namespace vq::light {

// One row of a plane, without guards: nothing beyond it is read.
struct SampleRow {
  const uint8_t* u8 = nullptr;  // null: samples are words
  const uint16_t* u16 = nullptr;
  int width = 0;
};
SampleRow row_of(const SampleView& plane, int y);

// Floats that may be written around the samples of a row.
inline constexpr int kMargin = 16;

// A chroma row at the columns of the picture: samples scaled, then interpolated. Shapes: in of any width of 1
// or more; out of `width`, with guards. Scratch: floats for the samples of `in`, with kMargin more before and
// after.
struct ChromaRow {
  Scale scale;
  const Axis* axis = nullptr;
  float* scratch = nullptr;
};
using SpreadChroma = void (*)(const SampleRow& in, const ChromaRow& how, int width, float* out);

// taps[0] rows[0] + taps[1] rows[1] + ..., left to right. Shapes: rows of `width`, with guards.
using BlendRows = void (*)(const float* const rows[Axis::kTaps], const Axis::Taps& taps, int width,
                           float* out);

template <typename T>
struct RgbRow {
  T* r = nullptr;
  T* g = nullptr;
  T* b = nullptr;
};

// Luma and chroma, or G, B and R, to light. With v the non-linear component and a its magnitude, light is 0
// if a <= kLeastValue, and otherwise
//   BT.1886: sign(v) p(a), with p(x) = x^2.4, see below
//   sRGB:    sign(v) (a > kSrgbLimit ? p((a + kSrgbOffset) * kSrgbFactor) : a * kSrgbSlope)
//   linear:  v
//   PQ, HLG: with t = clamp(v, 0, 1) * 4096 and i = trunc(t): curve[i] + (t - i) * (curve[i + 1] - curve[i])
// HLG's three components are then multiplied by q(L), L = (0.2627 R + 0.678 G) + 0.0593 B, with q(x) = x^0.2,
// 0 for x <= kLeastValue. Last come the primaries: (a R + b G) + c B.
//
// Powers: r is the float of bits kRootStart - ((bits(x) >> 15) * 52429 >> 3), unsigned; twice, for q three
// times, r = r * (1.2 - (0.2 x) * ((r^2 * r^2) * r)). Then q = x * (r^2 * r^2); and p = x^2 * s + x^2 * c,
// with s = (x * r) * r^2, which is nearly x^0.4, and c = (0.2 * (r^4 * r^4)) * (x^2 - (s^2 * s^2) * s). p is
// within 3e-7 of the power, q within 8e-7, relative, for x up to 20.
//
// Shapes: rows of the picture's width; all but luma with guards. cb and cr: in and out may be the same.
using ToLight = void (*)(const SampleRow& luma, const float* cb, const float* cr,
                         const Conversion& conversion, RgbRow<float> out);

struct Stages {
  SpreadChroma spread_chroma = nullptr;
  BlendRows blend_rows = nullptr;
  ToLight to_light = nullptr;
};

namespace scalar {
// The readable reference, in ordinary C++.
void spread_chroma(const SampleRow& in, const ChromaRow& how, int width, float* out);
void blend_rows(const float* const rows[Axis::kTaps], const Axis::Taps& taps, int width, float* out);
void to_light(const SampleRow& luma, const float* cb, const float* cr, const Conversion& conversion,
              RgbRow<float> out);
inline constexpr Stages kStages = {spread_chroma, blend_rows, to_light};
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
SpreadChroma spread_chroma_for(int64_t target);
BlendRows blend_rows_for(int64_t target);
ToLight to_light_for(int64_t target);
}  // namespace simd

}  // namespace vq::light
