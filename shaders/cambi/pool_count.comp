// pool of feature/cambi/stages.h if not all values count: one digit of the selection. Counts the digit of the
// values that share the digits before it with the topk_count-th largest one, and adds up those that now turn
// out to be larger.
#include "shared.h"

layout(local_size_x = kPoolGroup) in;

layout(std430, binding = 0) readonly buffer Geometry { ScaleGeometry scales[kScaleCount]; };
layout(std430, binding = 1) readonly buffer Upper { vec4 upper_values[]; };
layout(std430, binding = 2) readonly buffer Lower { vec4 lower_values[]; };
layout(std430, binding = 3) readonly buffer Rest { vec4 rest_values[]; };
layout(std430, binding = 4) buffer Sums { uint sums[]; };
layout(std430, binding = 5) buffer Histograms { uint histograms[]; };

layout(push_constant) uniform Push { PoolPush p; };

#include "pool_rank.glsl"
#include "sums.glsl"
#include "values.glsl"

const uint kBatch = 4;  // number of loads in flight

shared uint bins[kBins];

vec4 values_at(ValuePlace place, uint quad) {
  if (place.buffer_number == kUpper) return upper_values[place.quad + quad];
  if (place.buffer_number == kLower) return lower_values[place.quad + quad];
  return rest_values[place.quad + quad];
}

// Findings of an invocation: a run of values with the same digit, and the sum of those that are larger.
struct Findings {
  uint bin, count;
  uvec2 sum;
};

void count_value(float value, Selected selected, inout Findings findings) {
  if (value == 0) return;
  const uint key = (floatBitsToUint(value) - kLeastValue) >> (kDigitBits * (kPoolDigits - 1 - p.digit));
  const uint prefix = key >> kDigitBits;
  uint bin = key;
  if (p.digit > 0) {
    if (prefix > selected.prefix) {
      // Values larger in an earlier digit were added by the pass of that digit.
      const bool is_new = p.digit == 1 || prefix >> kDigitBits == selected.prefix >> kDigitBits;
      if (is_new) add(findings.sum, units_of(value));
    }
    if (prefix != selected.prefix) return;
    bin = key & ((1 << kDigitBits) - 1);
  }
  if (bin != findings.bin) {
    if (findings.count != 0) atomicAdd(bins[findings.bin], findings.count);
    findings.bin = bin;
    findings.count = 0;
  }
  ++findings.count;
}

void main() {
  const uint number = p.first_group + gl_WorkGroupID.x;
  uint s = 0;
  while (number - scales[s].first_pool_group >= scales[s].pool_groups) ++s;
  const ScaleGeometry scale = scales[s];
  if (sums[s * kSumWords] <= scale.topk_count) return;

  for (uint i = gl_LocalInvocationIndex; i < kBins; i += kPoolGroup) bins[i] = 0;
  group_clear();
  const Selected selected = find_digits(s, p.digit, scale.topk_count);
  barrier();
  // The rows of a group lie one after another.
  const uint first = (number - scale.first_pool_group) * kPoolRows;
  const uint quads = min(kPoolRows, scale.height - first) * scale.words * (kWordSamples / 4);
  const ValuePlace place = value_place(s, scale, first);
  Findings findings = Findings(0, 0, uvec2(0));
  for (uint i = gl_LocalInvocationIndex; i < quads; i += kBatch * kPoolGroup) {
    vec4 values[kBatch];
    [[unroll]] for (uint k = 0; k < kBatch; ++k) {
      const uint quad = i + k * kPoolGroup;
      values[k] = quad < quads ? values_at(place, quad) : vec4(0);
    }
    [[unroll]] for (uint k = 0; k < kBatch; ++k) {
      [[unroll]] for (uint j = 0; j < 4; ++j) count_value(values[k][j], selected, findings);
    }
  }
  if (findings.count != 0) atomicAdd(bins[findings.bin], findings.count);
  group_add(findings.sum, 0);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < kBins; i += kPoolGroup) {
    if (bins[i] != 0) atomicAdd(histograms[histogram_at(s, p.digit) + i], bins[i]);
  }
  if (gl_LocalInvocationIndex == 0) group_add_to_sums(s * kSumWords + kSumOfLargest);
}
