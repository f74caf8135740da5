// Sums of rows, of which there is one for each strip of columns: adds the strips up, rounds, and adds up as many rows as a
// work group has invocations. Work groups: blocks of rows, kinds, scales; and one more plane of them, whose first collects the
// flags of the finest scale's wavelet.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared.h"
#include "../common/wide.glsl"

layout(local_size_x = kRowsAdded) in;

layout(std430, binding = 0) readonly buffer Sums0 { uvec2 sums0[]; };
layout(std430, binding = 1) readonly buffer Sums1 { uvec2 sums1[]; };
layout(std430, binding = 2) readonly buffer Sums2 { uvec2 sums2[]; };
layout(std430, binding = 3) readonly buffer Sums3 { uvec2 sums3[]; };
layout(std430, binding = 4) readonly buffer Flags { uint flags[]; };
layout(std430, binding = 5) writeonly buffer Results { uvec2 results[]; };

layout(push_constant) uniform Push { AddRowsPush p; };

shared uvec2 shared_sums[kRowsAdded];  // lower and upper words

Wide load(uint scale, uint at) {
  uvec2 sum;
  switch (scale) {
    case 0: sum = sums0[at]; break;
    case 1: sum = sums1[at]; break;
    case 2: sum = sums2[at]; break;
    default: sum = sums3[at]; break;
  }
  return Wide(sum.x, sum.y);
}

Wide row_sum(uint row) {
  const RowSums from = p.scales[gl_WorkGroupID.z];
  const uint kind = gl_WorkGroupID.y;
  Wide sum = Wide(0, 0);
  if (row >= from.rows) return sum;
  for (uint strip = 0; strip < from.strips; ++strip) {
    sum = wide_sum(sum, load(gl_WorkGroupID.z, (kind * from.strips + strip) * from.rows + row));
  }
  if (kind >= 3) return wide_signed_rounded_shift(sum, from.masked_shift);
  return from.reference_shift == 0 ? sum : wide_rounded_shift(sum, from.reference_shift);
}

void collect_flags() {
  uint found = 0;
  for (uint i = gl_LocalInvocationIndex; i < p.flags; i += kRowsAdded) found |= flags[i];
  shared_sums[gl_LocalInvocationIndex] = uvec2(found, 0);
  barrier();
  if (gl_LocalInvocationIndex > 0) return;
  for (uint i = 1; i < kRowsAdded; ++i) found |= shared_sums[i].x;
  results[p.flags_at] = uvec2(found, 0);
}

void add_rows(uint first_row) {
  Wide sum = row_sum(first_row + gl_LocalInvocationIndex);
  shared_sums[gl_LocalInvocationIndex] = uvec2(sum.low, sum.high);
  for (uint half_count = kRowsAdded / 2; half_count > 0; half_count /= 2) {
    barrier();
    if (gl_LocalInvocationIndex < half_count) {
      const uvec2 other = shared_sums[gl_LocalInvocationIndex + half_count];
      sum = wide_sum(sum, Wide(other.x, other.y));
      shared_sums[gl_LocalInvocationIndex] = uvec2(sum.low, sum.high);
    }
  }
  if (gl_LocalInvocationIndex > 0) return;
  const RowSums from = p.scales[gl_WorkGroupID.z];
  const uint blocks = (from.rows + kRowsAdded - 1) / kRowsAdded;
  results[from.first + gl_WorkGroupID.y * blocks + gl_WorkGroupID.x] = uvec2(sum.low, sum.high);
}

void main() {
  if (gl_WorkGroupID.z == kScalesAdded) {
    if (gl_WorkGroupID.xy == uvec2(0)) collect_flags();
  } else if (gl_WorkGroupID.x * kRowsAdded < p.scales[gl_WorkGroupID.z].rows) {
    add_rows(gl_WorkGroupID.x * kRowsAdded);
  }
}
