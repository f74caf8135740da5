// pool of feature/cambi/stages.h if not all values count: the values that share all digits but the last with
// the topk_count-th largest one. One work group a scale.
#include "shared.h"

layout(local_size_x = kPoolGroup) in;

layout(std430, binding = 0) readonly buffer Geometry { ScaleGeometry scales[kScaleCount]; };
layout(std430, binding = 1) buffer Sums { uint sums[]; };
layout(std430, binding = 2) readonly buffer Histograms { uint histograms[]; };

#include "pool_rank.glsl"
#include "sums.glsl"

void main() {
  const uint s = gl_WorkGroupID.x;
  const uint topk_count = scales[s].topk_count;
  if (sums[s * kSumWords] <= topk_count) return;

  const Selected before = find_digits(s, kPoolDigits - 1, topk_count);
  const uint histogram = histogram_at(s, kPoolDigits - 1);
  const uvec2 last = find_bin(histogram, before.rank);
  for (uint bin = gl_LocalInvocationIndex; bin < 1 << kDigitBits; bin += kPoolGroup) {
    // Values equal to the topk_count-th largest count only as often as needed.
    const uint count = bin > last.x ? histograms[histogram + bin] : bin == last.x ? before.rank - last.y : 0;
    if (count == 0) continue;
    const uvec2 units = units_of(uintBitsToFloat((before.prefix << kDigitBits | bin) + kLeastValue));
    uint low, carried, middle, high, carry;
    umulExtended(count, units.x, carried, low);
    umulExtended(count, units.y, high, middle);
    middle = uaddCarry(middle, carried, carry);
    add_to_sums(s * kSumWords + kSumOfLargest, low, middle, high + carry);
  }
}
