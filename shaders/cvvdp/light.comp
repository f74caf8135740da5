// to_light and to_dkl of feature/light/light.h and feature/cvvdp/cvvdp.h: a frame to light of the display.
// All floats are `precise`: nothing is contracted, and sums and products are rounded to nearest (ADR 0068).
#include "../light/powers.glsl"
#include "../light/shared.h"
#include "shared.h"
#include "functions.glsl"

layout(local_size_x = kSamplesX, local_size_y = kSamplesY) in;
layout(constant_id = 1) const uint kCurve = kSrgbDisplay;

layout(std430, binding = 0) readonly buffer Luma { uint luma[]; };
layout(std430, binding = 1) readonly buffer Cb { uint cb[]; };
layout(std430, binding = 2) readonly buffer Cr { uint cr[]; };
layout(std430, binding = 3) readonly buffer Table { float table[]; };
layout(std430, binding = 4) writeonly buffer Light { float light[]; };

layout(push_constant) uniform Push { LightPush p; };

#include "../light/encoded.glsl"

uint word_of(uint picture, uint plane, uint at) {
  return plane == 0 ? luma[at] : plane == 1 ? cb[at] : cr[at];
}
uint stride_of(uint picture, uint plane) {
  return plane == 0 ? p.luma_stride : plane == 1 ? p.cb_stride : p.cr_stride;
}

float from_table(float v) {
  precise const float t = v * 4096.0;
  const uint i = uint(t);
  const float low = table[kDisplayStart + i], high = table[kDisplayStart + i + 1];
  precise const float value = low + (t - float(i)) * (high - low);
  return value;
}

float srgb(float v) {
  precise float value = v * 0.0773993808049535604;
  if (v > 0.04045) {
    precise const float base = (max(v, 0.04) + 0.055) * 0.947867298578199052;
    value = power_2_4(base);
  }
  return value;
}

// Light of the display, of a component after its curve.
float light_of(float v, float gain) {
  precise float light;
  if (kCurve == kPqDisplay) {
    light = min(max(v, 0.005), p.peak) + p.base;
  } else if (kCurve == kHlgDisplay) {
    light = (v * gain) * p.scale + p.base;
  } else {
    light = v * p.scale + p.base;
  }
  return light;
}

float weighted(float a, float b, float c, vec3 rgb) {
  precise const float sum = (a * rgb.x + b * rgb.y) + c * rgb.z;
  return sum;
}

float row_of_matrix(uint row, vec3 light) {
  const uint at = kMatrixStart + 3 * row;
  return weighted(table[at], table[at + 1], table[at + 2], light);
}

// As the light stage has it, a component below its least value is 0.
float limited(float encoded) {
  return encoded <= 1.0 / 16777216.0 ? 0 : min(encoded, 1);
}

vec3 dkl_at(uint x, uint y) {
  const vec3 encoded = encoded_at(0, x, y);
  const vec3 rgb = vec3(limited(encoded.x), limited(encoded.y), limited(encoded.z));
  vec3 values;
  float gain = 1;
  if (kCurve == kSrgbDisplay) {
    values = vec3(srgb(rgb.x), srgb(rgb.y), srgb(rgb.z));
  } else {
    values = vec3(from_table(rgb.x), from_table(rgb.y), from_table(rgb.z));
  }
  if (kCurve == kHlgDisplay) {
    const float y = weighted(0.2627, 0.678, 0.0593, values);
    precise const float exponent = p.gamma_less_1 * log2_of(max(y, 5.9604644775390625e-8));
    gain = y > 5.9604644775390625e-8 ? exp2_of(exponent) : 0;
  }
  const vec3 shown = vec3(light_of(values.x, gain), light_of(values.y, gain), light_of(values.z, gain));
  return vec3(row_of_matrix(0, shown), row_of_matrix(1, shown), row_of_matrix(2, shown));
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint at = y * p.width + x, plane = p.width * p.height;
  const vec3 dkl = dkl_at(x, y);
  light[at] = dkl.x;
  light[plane + at] = dkl.y;
  light[2 * plane + at] = dkl.z;
}
