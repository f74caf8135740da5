// c_values of feature/cambi/stages.h by looking at every sample of every window: the yardstick for
// c_values.comp, which computes the same. One invocation makes one sample; the work groups of one slice group
// are numbered by y.
#include "shared.h"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kReach = 32;
layout(constant_id = 1) const uint kContrasts = 4;

layout(std430, binding = 0) readonly buffer Geometry { ScaleGeometry scales[kScaleCount]; };
layout(std430, binding = 1) readonly buffer Levels { uint levels[]; };
layout(std430, binding = 2) readonly buffer Contrasts { ContrastRule contrasts[]; };
layout(std430, binding = 3) readonly buffer Reciprocals { float reciprocals[]; };
layout(std430, binding = 4) writeonly buffer Upper { float upper_values[]; };
layout(std430, binding = 5) writeonly buffer Lower { float lower_values[]; };
layout(std430, binding = 6) writeonly buffer Rest { float rest_values[]; };
layout(std430, binding = 7) buffer Sums { uint sums[]; };

#include "sums.glsl"
#include "values.glsl"

const uint kTilesX = kSliceWords * kWordSamples / 32, kTileX = 32, kTileY = 8;

uint level_at(ScaleGeometry scale, int x, int y) {
  if (x < 0 || y < 0 || x >= int(scale.width) || y >= int(scale.height)) return kNoLevel;
  const uint at = (scale.first_word + uint(y) * scale.words) * kWordSamples + uint(x);
  return levels[at / 2] >> (16 * (at & 1)) & 0xFFFF;
}

float c_value(ScaleGeometry scale, int x, int y) {
  const int level = int(level_at(scale, x, y));
  if (level == int(kNoLevel)) return 0;
  uint counts[2 * kContrasts + 1];
  [[unroll]] for (uint i = 0; i < 2 * kContrasts + 1; ++i) counts[i] = 0;
  const int reach = int(kReach);
  for (int j = max(y - reach, 0); j <= min(y + reach, int(scale.height) - 1); ++j) {
    for (int i = max(x - reach, 0); i <= min(x + reach, int(scale.width) - 1); ++i) {
      const int difference = int(level_at(scale, i, j)) - level + int(kContrasts);
      [[unroll]] for (int k = 0; k < int(2 * kContrasts + 1); ++k) counts[k] += difference == k ? 1 : 0;
    }
  }
  float best = 0;
  const uint own = counts[kContrasts];
  [[unroll]] for (uint d = 1; d <= kContrasts; ++d) {
    const ContrastRule rule = contrasts[d - 1];
    if (level < rule.first_level || level > rule.last_level) continue;
    const uint other = max(counts[kContrasts + d], counts[kContrasts - d]);
    if (other == 0) continue;
    precise const float product = float(rule.weight * own) * float(other);
    precise const float value = product * reciprocals[own + other];
    best = max(best, value);
  }
  return best;
}

void main() {
  group_clear();
  barrier();
  uint s = 0;
  while (gl_WorkGroupID.x - scales[s].first_slice_group >= scales[s].slice_groups) ++s;
  const ScaleGeometry scale = scales[s];
  const uint group = gl_WorkGroupID.x - scale.first_slice_group;
  const uint x = (group % scale.slice_groups_x * kTilesX + gl_WorkGroupID.y % kTilesX) * kTileX +
                 gl_LocalInvocationIndex % kTileX;
  const uint y = group / scale.slice_groups_x * kBlockRows + gl_WorkGroupID.y / kTilesX * kTileY +
                 gl_LocalInvocationIndex / kTileX;
  if (x < scale.words * kWordSamples && y < scale.height) {
    const float value = c_value(scale, int(x), int(y));
    const ValuePlace place = value_place(s, scale, y);
    const uint at = place.quad * 4 + x;
    if (place.buffer_number == kUpper) {
      upper_values[at] = value;
    } else if (place.buffer_number == kLower) {
      lower_values[at] = value;
    } else {
      rest_values[at] = value;
    }
    group_add(units_of(value), value == 0 ? 0 : 1);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    if (group_sum[3] != 0) atomicAdd(sums[s * kSumWords], group_sum[3]);
    group_add_to_sums(s * kSumWords + kSumOfAll);
  }
}
