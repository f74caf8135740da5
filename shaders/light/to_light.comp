// spread_chroma, blend_rows and to_light of feature/light/light.h in one: the light of a picture, three
// planes of floats. Interpolation goes along columns first, then along rows, as there. All floats are
// `precise`: nothing is contracted, and sums and products are rounded to nearest (ADR 0068).
#include "shared.h"
#include "powers.glsl"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 1) const uint kCurve = kBt1886Curve;
layout(constant_id = 2) const uint kShiftX = 1;
layout(constant_id = 3) const uint kShiftY = 1;
layout(constant_id = 4) const bool kHasChroma = true;
layout(constant_id = 5) const bool kIsRgb = false;
layout(constant_id = 6) const bool kIsBt2020 = false;
layout(constant_id = 7) const bool kIsLimited = false;

layout(std430, binding = 0) readonly buffer Luma { uint luma_words[]; };
layout(std430, binding = 1) readonly buffer Cb { uint cb_words[]; };
layout(std430, binding = 2) readonly buffer Cr { uint cr_words[]; };
layout(std430, binding = 3) readonly buffer Table { float table[]; };
layout(std430, binding = 4) writeonly buffer Red { float red[]; };
layout(std430, binding = 5) writeonly buffer Green { float green[]; };
layout(std430, binding = 6) writeonly buffer Blue { float blue[]; };

layout(push_constant) uniform Push { ToLightPush p; };

const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;
const float kLeastValue = 1.0 / 16777216.0;
const float kSrgbLimit = 0.04045, kSrgbOffset = 0.055;
const float kSrgbFactor = 0.947867298578199052, kSrgbSlope = 0.0773993808049535604;
const float kCurveSteps = 4096;

float sample_of(uint word, uint at) {
  return float(word >> (8 * (at & 3)) & kMask);
}

vec2 chroma_sample(int x, int y) {
  const uint column = uint(clamp(x, 0, int(p.chroma_width) - 1)),
             row = uint(clamp(y, 0, int(p.chroma_height) - 1));
  const uint cb = row * p.cb_stride + column * kBytes, cr = row * p.cr_stride + column * kBytes;
  precise const vec2 samples = vec2(sample_of(cb_words[cb / 4], cb), sample_of(cr_words[cr / 4], cr));
  precise const vec2 scaled = (samples - p.chroma_offset) * vec2(p.chroma_factor);
  return kIsLimited ? clamp(scaled, vec2(-0.5), vec2(0.5)) : scaled;
}

// First sample and taps of a phase.
int first_of(uint entry) {
  return int(table[entry]);
}
vec4 taps_of(uint entry) {
  return vec4(table[entry + 1], table[entry + 2], table[entry + 3], table[entry + 4]);
}
bool is_plain(vec4 taps) {
  return taps.y == 1.0;
}

vec2 sum_of(vec4 taps, vec2 a, vec2 b, vec2 c, vec2 d) {
  precise const vec2 sum = ((vec2(taps.x) * a + vec2(taps.y) * b) + vec2(taps.z) * c) + vec2(taps.w) * d;
  return sum;
}

vec2 chroma_row(int first, vec4 taps, int y) {
  if (is_plain(taps)) return chroma_sample(first + 1, y);
  return sum_of(taps, chroma_sample(first, y), chroma_sample(first + 1, y), chroma_sample(first + 2, y),
                chroma_sample(first + 3, y));
}

// Cb and Cr.
vec2 chroma_at(uint x, uint y) {
  const uint column = (x & ((1u << kShiftX) - 1)) * kPhaseFloats;
  const uint row = (kPhases + (y & ((1u << kShiftY) - 1))) * kPhaseFloats;
  const int first_x = int(x >> kShiftX) + first_of(column), first_y = int(y >> kShiftY) + first_of(row);
  const vec4 taps_x = taps_of(column), taps_y = taps_of(row);
  if (is_plain(taps_y)) return chroma_row(first_x, taps_x, first_y + 1);
  return sum_of(taps_y, chroma_row(first_x, taps_x, first_y), chroma_row(first_x, taps_x, first_y + 1),
                chroma_row(first_x, taps_x, first_y + 2), chroma_row(first_x, taps_x, first_y + 3));
}

float power_0_2(float x) {
  if (x <= kLeastValue) return 0;
  precise const float r = fifth_root_of_inverse(x, 3);
  precise const float r2 = r * r;
  precise const float power = x * (r2 * r2);
  return power;
}

float from_table(float v) {
  precise const float t = clamp(v, 0.0, 1.0) * kCurveSteps;
  const uint i = uint(t);
  const float low = table[kCurveStart + i], high = table[kCurveStart + i + 1];
  precise const float value = low + (t - float(i)) * (high - low);
  return value;
}

float light_of(float v) {
  const float a = abs(v);
  if (a <= kLeastValue) return 0;
  if (kCurve == kPqCurve || kCurve == kHlgCurve) return from_table(v);
  precise float value = a;
  if (kCurve == kBt1886Curve) {
    value = power_2_4(a);
  } else if (kCurve == kSrgbCurve) {
    if (a > kSrgbLimit) {
      precise const float base = (a + kSrgbOffset) * kSrgbFactor;
      value = power_2_4(base);
    } else {
      value = a * kSrgbSlope;
    }
  }
  return v < 0 ? -value : value;
}

float weighted(float a, float b, float c, vec3 rgb) {
  precise const float sum = (a * rgb.x + b * rgb.y) + c * rgb.z;
  return sum;
}

vec3 components(float y, vec2 chroma) {
  if (kIsRgb) return vec3(chroma.y, y, chroma.x);
  precise const float r = y + p.red_of_cr * chroma.y;
  precise const float b = y + p.blue_of_cb * chroma.x;
  precise const float g = ((y - p.kr * r) - p.kb * b) * p.one_over_kg;
  return vec3(r, g, b);
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint at = y * p.luma_stride + x * kBytes;
  precise const float luma = (sample_of(luma_words[at / 4], at) - p.luma_offset) * p.luma_factor;
  const float limited = kIsLimited ? clamp(luma, 0.0, 1.0) : luma;
  const vec3 values = components(limited, kHasChroma ? chroma_at(x, y) : vec2(0));
  precise vec3 rgb = vec3(light_of(values.x), light_of(values.y), light_of(values.z));
  if (kCurve == kHlgCurve) rgb = rgb * vec3(power_0_2(weighted(0.2627, 0.678, 0.0593, rgb)));
  if (kIsBt2020) {
    rgb = vec3(weighted(1.660491, -0.587641, -0.072850, rgb), weighted(-0.124550, 1.132900, -0.008349, rgb),
               weighted(-0.018151, -0.100579, 1.118730, rgb));
  }
  const uint to = y * p.out_stride + x;
  red[to] = rgb.x;
  green[to] = rgb.y;
  blue[to] = rgb.z;
}
