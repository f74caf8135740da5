// expand_row, background_row, contrast_row, sensitivity_rows and compare_rows of feature/cvvdp/cvvdp.h, of
// all channels: a level and the next of both pictures to what they have in common and what differs. All
// floats are `precise`: nothing is contracted, and sums and products are rounded to nearest (ADR 0068).
#include "../common/quotient.glsl"
#include "shared.h"
#include "functions.glsl"

layout(local_size_x = kSamplesX, local_size_y = kSamplesY) in;

layout(std430, binding = 0) readonly buffer Reference { vec4 reference[]; };
layout(std430, binding = 1) readonly buffer CoarseReference { vec4 coarse_reference[]; };
layout(std430, binding = 2) readonly buffer Distorted { vec4 distorted[]; };
layout(std430, binding = 3) readonly buffer CoarseDistorted { vec4 coarse_distorted[]; };
layout(std430, binding = 4) readonly buffer Table { float table[]; };
layout(std430, binding = 5) writeonly buffer Mutual { vec4 mutual[]; };
layout(std430, binding = 6) writeonly buffer Difference { vec4 difference[]; };

layout(push_constant) uniform Push { ContrastPush p; };

const vec4 kSides = vec4(0.1), kMiddle = vec4(0.8), kHalf = vec4(0.5);

vec4 around(vec4 a, vec4 b, vec4 c) {
  precise const vec4 sum = kSides * (a + c) + kMiddle * b;
  return sum;
}
vec4 between(vec4 a, vec4 b) {
  precise const vec4 sum = kHalf * (a + b);
  return sum;
}

int narrow() {
  return (int(p.width) + 1) / 2;
}
vec4 coarse_at(bool is_reference, int x, int y) {
  const int row = clamp(y, 0, (int(p.height) + 1) / 2 - 1), at = row * narrow() + clamp(x, 0, narrow() - 1);
  if (is_reference) return coarse_reference[at];
  return coarse_distorted[at];
}

// Across rows, for row y.
vec4 column(bool is_reference, int x, int y) {
  const int row = y / 2;
  const vec4 middle = coarse_at(is_reference, x, row), below = coarse_at(is_reference, x, row + 1);
  if ((y & 1) == 1) return between(middle, below);
  return around(coarse_at(is_reference, x, row - 1), middle, below);
}

vec4 expanded(bool is_reference, int x, int y) {
  const int at = x / 2;
  const vec4 middle = column(is_reference, at, y), next = column(is_reference, at + 1, y);
  if ((x & 1) == 1) return between(middle, next);
  return around(column(is_reference, at - 1, y), middle, next);
}

float sensitivity_of(uint channel, uint i, float t) {
  const uint at = channel * kSensitivityFloats + i;
  const float low = table[at], high = table[at + 1];
  precise const float log = low + t * (high - low);
  precise const float gained = exp2_of(log) * table[kGainStart + channel];
  return gained;
}

vec4 sensitivity_at(float background) {
  precise const float place = (log2_of(background) - p.first_luminance) * p.luminance_steps;
  const float luminance = clamp(place, 0.0, 31.0);
  const uint i = uint(luminance);
  precise const float t = luminance - float(i);
  return vec4(sensitivity_of(0, i, t), sensitivity_of(1, i, t), sensitivity_of(2, i, t),
              sensitivity_of(3, i, t));
}

float contrast_of(float value, float wide, float background, float sensitivity) {
  precise const float layer = value - wide;
  precise const float contrast = (min(quotient(layer, background), 1000.0) * p.layer_gain) * sensitivity;
  return contrast;
}
vec4 contrasts_of(vec4 values, vec4 wide, float background, vec4 sensitivity) {
  return vec4(contrast_of(values.x, wide.x, background, sensitivity.x),
              contrast_of(values.y, wide.y, background, sensitivity.y),
              contrast_of(values.z, wide.z, background, sensitivity.z),
              contrast_of(values.w, wide.w, background, sensitivity.w));
}

void main() {
  const int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= int(p.width) || y >= int(p.height)) return;
  const int at = y * int(p.width) + x;
  const vec4 wide_reference = expanded(true, x, y), wide_distorted = expanded(false, x, y);
  const float of_reference = max(wide_reference.x, 0.01), of_distorted = max(wide_distorted.x, 0.01);
  const vec4 sensitivity = sensitivity_at(of_reference);
  const vec4 a = contrasts_of(distorted[at], wide_distorted, of_distorted, sensitivity),
             b = contrasts_of(reference[at], wide_reference, of_reference, sensitivity);
  precise const vec4 apart = a - b;
  mutual[at] = min(abs(a), abs(b));
  difference[at] = abs(apart);
}
