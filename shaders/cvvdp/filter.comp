// to_light, to_dkl and filter_row of feature/light/light.h and feature/cvvdp/cvvdp.h: two frames to light of
// the display, and what they add to the filtered channels. All floats are `precise`: nothing is contracted,
// and sums and products are rounded to nearest (ADR 0068).
#include "../light/powers.glsl"
#include "../light/shared.h"
#include "shared.h"
#include "functions.glsl"

layout(local_size_x = kSamplesX, local_size_y = kSamplesY) in;
layout(constant_id = 1) const uint kCurve = kSrgbDisplay;

layout(std430, binding = 0) readonly buffer OldLuma { uint old_luma[]; };
layout(std430, binding = 1) readonly buffer OldCb { uint old_cb[]; };
layout(std430, binding = 2) readonly buffer OldCr { uint old_cr[]; };
layout(std430, binding = 3) readonly buffer NewLuma { uint new_luma[]; };
layout(std430, binding = 4) readonly buffer NewCb { uint new_cb[]; };
layout(std430, binding = 5) readonly buffer NewCr { uint new_cr[]; };
layout(std430, binding = 6) readonly buffer Table { float table[]; };
layout(std430, binding = 7) buffer Filtered { vec4 filtered[]; };

layout(push_constant) uniform Push { FilterPush p; };

#include "../light/encoded.glsl"

const uint kOld = 0, kNew = 1;

uint word_of(uint picture, uint plane, uint at) {
  if (picture == kOld) return plane == 0 ? old_luma[at] : plane == 1 ? old_cb[at] : old_cr[at];
  return plane == 0 ? new_luma[at] : plane == 1 ? new_cb[at] : new_cr[at];
}
uint stride_of(uint picture, uint plane) {
  if (picture == kOld) return plane == 0 ? p.old_luma_stride : plane == 1 ? p.old_cb_stride : p.old_cr_stride;
  return plane == 0 ? p.new_luma_stride : plane == 1 ? p.new_cb_stride : p.new_cr_stride;
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

// What the light stage makes of a component: what is below its least value is 0.
float limited(float encoded) {
  return encoded <= 1.0 / 16777216.0 ? 0 : min(encoded, 1);
}

vec3 dkl_of(uint picture, uint x, uint y) {
  const vec3 encoded = encoded_at(picture, x, y);
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
  const vec3 light = vec3(light_of(values.x, gain), light_of(values.y, gain), light_of(values.z, gain));
  return vec3(row_of_matrix(0, light), row_of_matrix(1, light), row_of_matrix(2, light));
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint to = y * p.width + x;
  precise vec3 pair = dkl_of(kNew, x, y);
  if (p.is_middle == 0) pair = dkl_of(kOld, x, y) + pair;
  const vec4 channels = vec4(pair, pair.x);
  precise vec4 terms = vec4(p.tap_0, p.tap_1, p.tap_2, p.tap_3) * channels;
  if (p.is_first == 0) terms = filtered[to] + terms;
  filtered[to] = terms;
}
