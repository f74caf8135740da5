// spread_chroma, blend_rows and to_light of feature/light/light.h in one: the light of a picture, three
// planes of floats. All floats are `precise`: nothing is contracted, and sums and products are rounded to
// nearest (ADR 0068).
#include "shared.h"
#include "powers.glsl"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 1) const uint kCurve = kBt1886Curve;
layout(constant_id = 6) const bool kIsBt2020 = false;

layout(std430, binding = 0) readonly buffer Luma { uint luma_words[]; };
layout(std430, binding = 1) readonly buffer Cb { uint cb_words[]; };
layout(std430, binding = 2) readonly buffer Cr { uint cr_words[]; };
layout(std430, binding = 3) readonly buffer Table { float table[]; };
layout(std430, binding = 4) writeonly buffer Red { float red[]; };
layout(std430, binding = 5) writeonly buffer Green { float green[]; };
layout(std430, binding = 6) writeonly buffer Blue { float blue[]; };

layout(push_constant) uniform Push { ToLightPush p; };

#include "encoded.glsl"

uint word_of(uint picture, uint plane, uint at) {
  return plane == 0 ? luma_words[at] : plane == 1 ? cb_words[at] : cr_words[at];
}
uint stride_of(uint picture, uint plane) {
  return plane == 0 ? p.luma_stride : plane == 1 ? p.cb_stride : p.cr_stride;
}

const float kLeastValue = 1.0 / 16777216.0;
const float kSrgbLimit = 0.04045, kSrgbOffset = 0.055;
const float kSrgbFactor = 0.947867298578199052, kSrgbSlope = 0.0773993808049535604;
const float kCurveSteps = 4096;

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

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const vec3 values = encoded_at(0, x, y);
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
