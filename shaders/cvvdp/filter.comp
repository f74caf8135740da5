// to_dkl and filter_row of feature/cvvdp/cvvdp.h: two frames' encoded R, G and B to light of the display, and
// what they add to the filtered channels. All floats are `precise`: nothing is contracted, and sums and
// products are rounded to nearest (ADR 0068).
#include "../light/powers.glsl"
#include "shared.h"
#include "functions.glsl"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kCurve = kSrgbDisplay;

layout(std430, binding = 0) readonly buffer OldRed { float old_red[]; };
layout(std430, binding = 1) readonly buffer OldGreen { float old_green[]; };
layout(std430, binding = 2) readonly buffer OldBlue { float old_blue[]; };
layout(std430, binding = 3) readonly buffer NewRed { float new_red[]; };
layout(std430, binding = 4) readonly buffer NewGreen { float new_green[]; };
layout(std430, binding = 5) readonly buffer NewBlue { float new_blue[]; };
layout(std430, binding = 6) readonly buffer Table { float table[]; };
layout(std430, binding = 7) buffer Filtered { vec4 filtered[]; };

layout(push_constant) uniform Push { FilterPush p; };

float from_table(float v) {
  precise const float t = v * 4096.0;
  const uint i = uint(t);
  const float low = table[i], high = table[i + 1];
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

vec3 dkl_of(vec3 encoded) {
  const vec3 rgb = clamp(encoded, vec3(0), vec3(1));
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
  return vec3(weighted(p.matrix[0], p.matrix[1], p.matrix[2], light),
              weighted(p.matrix[3], p.matrix[4], p.matrix[5], light),
              weighted(p.matrix[6], p.matrix[7], p.matrix[8], light));
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint from = y * p.stride + x, to = y * p.width + x;
  precise vec3 pair = dkl_of(vec3(new_red[from], new_green[from], new_blue[from]));
  if (p.is_middle == 0) pair = dkl_of(vec3(old_red[from], old_green[from], old_blue[from])) + pair;
  const vec4 channels = vec4(pair, pair.x);
  precise vec4 terms = vec4(p.taps[0], p.taps[1], p.taps[2], p.taps[3]) * channels;
  if (p.is_first == 0) terms = filtered[to] + terms;
  filtered[to] = terms;
}
