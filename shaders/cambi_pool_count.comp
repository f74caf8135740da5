// Pooling where not all values count: one digit of the selection. Counts the digit of the values that share the
// digits before it with the topk_count-th largest one, and adds up those that now turn out to be larger.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cambi_shared.h"

layout(local_size_x = kPoolGroup) in;

layout(std430, binding = 0) readonly buffer Geometry { ScaleGeometry scales[kScaleCount]; };
layout(std430, binding = 1) readonly buffer Upper { vec4 upper_values[]; };
layout(std430, binding = 2) readonly buffer Lower { vec4 lower_values[]; };
layout(std430, binding = 3) readonly buffer Rest { vec4 rest_values[]; };
layout(std430, binding = 4) buffer Sums { uint sums[]; };
layout(std430, binding = 5) buffer Histograms { uint histograms[]; };

layout(push_constant) uniform Push { PoolPush p; };

#include "cambi_pool_rank.glsl"
#include "cambi_sums.glsl"
#include "cambi_values.glsl"

shared uint bins[kBins];

vec4 values_at(ValuePlace place, uint quad) {
  if (place.buffer_number == kUpper) return upper_values[place.quad + quad];
  if (place.buffer_number == kLower) return lower_values[place.quad + quad];
  return rest_values[place.quad + quad];
}

void main() {
  uint s = 0;
  while (gl_WorkGroupID.x - scales[s].first_pool_group >= scales[s].pool_groups) ++s;
  const ScaleGeometry scale = scales[s];
  if (sums[s * kSumWords] <= scale.topk_count) return;

  for (uint i = gl_LocalInvocationIndex; i < kBins; i += kPoolGroup) bins[i] = 0;
  group_clear();
  const Selected selected = find_digits(s, p.digit, scale.topk_count);
  barrier();
  const uint shift = kDigitBits * (kPoolDigits - 1 - p.digit);
  uvec2 sum = uvec2(0);
  const uint first = (gl_WorkGroupID.x - scale.first_pool_group) * kPoolRows;
  for (uint y = first; y < min(first + kPoolRows, scale.height); ++y) {
    const ValuePlace place = value_place(s, scale, y);
    for (uint quad = gl_LocalInvocationIndex; quad < scale.words * (kWordSamples / 4); quad += kPoolGroup) {
      const vec4 values = values_at(place, quad);
      for (uint i = 0; i < 4; ++i) {
        if (values[i] == 0) continue;
        const uint key = (floatBitsToUint(values[i]) - kLeastValue) >> shift;
        const uint prefix = key >> kDigitBits;
        if (p.digit == 0) {
          atomicAdd(bins[key], 1);
        } else if (prefix == selected.prefix) {
          atomicAdd(bins[key & ((1 << kDigitBits) - 1)], 1);
        } else if (prefix > selected.prefix && (p.digit == 1 || prefix >> kDigitBits == selected.prefix >> kDigitBits)) {
          add(sum, units_of(values[i]));
        }
      }
    }
  }
  group_add(sum, 0);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < kBins; i += kPoolGroup) {
    if (bins[i] != 0) atomicAdd(histograms[histogram_at(s, p.digit) + i], bins[i]);
  }
  if (gl_LocalInvocationIndex == 0) group_add_to_sums(s * kSumWords + kSumOfLargest);
}
