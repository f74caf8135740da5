// Adds the row sums of all strips of columns, rounds them, and adds up a block of rows. Work groups: blocks,
// kinds, scales; and one more plane of them, whose first collects the flags of the finest scale's wavelet.
#include "shared.h"
#include "../common/wide.glsl"

layout(local_size_x = kRowsAdded, local_size_y = kStripShares) in;

layout(std430, binding = 0) readonly buffer Sums0 { uvec2 sums0[]; };
layout(std430, binding = 1) readonly buffer Sums1 { uvec2 sums1[]; };
layout(std430, binding = 2) readonly buffer Sums2 { uvec2 sums2[]; };
layout(std430, binding = 3) readonly buffer Sums3 { uvec2 sums3[]; };
layout(std430, binding = 4) readonly buffer Flags { uint flags[]; };
layout(std430, binding = 5) writeonly buffer Results { uvec2 results[]; };

layout(push_constant) uniform Push { AddRowsPush p; };

const uint kInvocations = kRowsAdded * kStripShares;
// Number of loads that an invocation has in flight.
const uint kLoads = 4;

shared uvec2 shared_sums[kInvocations];  // lower and upper words

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

// Over this invocation's strips.
Wide strip_sum(uint row) {
  const RowSums from = p.scales[gl_WorkGroupID.z];
  Wide sum = Wide(0, 0);
  if (row >= from.rows) return sum;
  const uint first = gl_WorkGroupID.y * from.strips;
  for (uint strip = gl_LocalInvocationID.y; strip < from.strips; strip += kLoads * kStripShares) {
    Wide loaded[kLoads];
    [[unroll]] for (uint i = 0; i < kLoads; ++i) {
      const uint which = strip + i * kStripShares;
      loaded[i] =
          which < from.strips ? load(gl_WorkGroupID.z, (first + which) * from.rows + row) : Wide(0, 0);
    }
    [[unroll]] for (uint i = 0; i < kLoads; ++i) sum = wide_sum(sum, loaded[i]);
  }
  return sum;
}

Wide rounded(Wide sum) {
  const RowSums from = p.scales[gl_WorkGroupID.z];
  if (gl_WorkGroupID.y >= 3) return wide_signed_rounded_shift(sum, from.masked_shift);
  return from.reference_shift == 0 ? sum : wide_rounded_shift(sum, from.reference_shift);
}

Wide shared_sum(uint at) {
  return Wide(shared_sums[at].x, shared_sums[at].y);
}

void collect_flags() {
  const uint at = gl_LocalInvocationIndex;
  uint found = 0;
  for (uint i = at; i < p.flags; i += kInvocations) found |= flags[i];
  shared_sums[at].x = found;
  for (uint half_count = kInvocations / 2; half_count > 0; half_count /= 2) {
    barrier();
    if (at < half_count) {
      found |= shared_sums[at + half_count].x;
      shared_sums[at].x = found;
    }
  }
  if (at == 0) results[p.flags_at] = uvec2(found, 0);
}

void add_rows(uint first_row) {
  const uint at = gl_LocalInvocationIndex;
  Wide sum = strip_sum(first_row + gl_LocalInvocationID.x);
  shared_sums[at] = uvec2(sum.low, sum.high);
  barrier();
  if (at < kRowsAdded) {
    [[unroll]] for (uint i = 1; i < kStripShares; ++i) sum = wide_sum(sum, shared_sum(at + i * kRowsAdded));
    sum = rounded(sum);
    shared_sums[at] = uvec2(sum.low, sum.high);
  }
  for (uint half_count = kRowsAdded / 2; half_count > 0; half_count /= 2) {
    barrier();
    if (at < half_count) {
      sum = wide_sum(sum, shared_sum(at + half_count));
      shared_sums[at] = uvec2(sum.low, sum.high);
    }
  }
  if (at > 0) return;
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
