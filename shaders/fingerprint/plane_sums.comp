// plane_sums of feature/fingerprint/fingerprint.h: sums of mixed words of a plane. Each work group sums up a
// tile.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;

layout(std430, binding = 0) readonly buffer Samples { uvec4 vectors[]; };
layout(std430, binding = 1) writeonly buffer Sums { uvec4 sums[]; };

layout(push_constant) uniform Push { PlaneSumsPush p; };

shared uint group_sums[4];

const uvec4 kFactors = uvec4(kFactor0, kFactor1, kFactor2, kFactor3);
const uvec4 kOffsets = uvec4(kOffset0, kOffset1, kOffset2, kOffset3);

uvec4 mixed(uvec4 v) {
  v = (v ^ v >> kShift0) * kMix0;
  v = (v ^ v >> kShift1) * kMix1;
  v = (v ^ v >> kShift2) * kMix2;
  return v ^ v >> kShift3;
}

void main() {
  const uint vector = gl_GlobalInvocationID.x, first = vector * kVector;
  const uint first_row = gl_WorkGroupID.y * kGroupY * kRows + gl_LocalInvocationID.y;
  if (gl_LocalInvocationIndex < 4) group_sums[gl_LocalInvocationIndex] = 0;
  barrier();

  uvec4 total = uvec4(0);
  for (uint i = 0; i < kRows; ++i) {
    const uint y = first_row + i * kGroupY;
    if (first >= p.words || y >= p.height) break;
    const uvec4 words = vectors[y * p.stride + vector];
    const uint row_place = (p.plane << kRowBits | y) << kColumnBits;
    [[unroll]] for (uint k = 0; k < kVector; ++k) {
      const uint x = first + k;
      if (x >= p.words) break;
      const uint word = x + 1 == p.words ? words[k] & p.last_mask : words[k];
      total += mixed(word ^ (row_place | x) * kFactors + kOffsets);
    }
  }
  for (uint lane = 0; lane < 4; ++lane) atomicAdd(group_sums[lane], total[lane]);
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    sums[p.first_sum + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] =
        uvec4(group_sums[0], group_sums[1], group_sums[2], group_sums[3]);
  }
}
