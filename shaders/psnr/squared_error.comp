// squared_error of feature/psnr/psnr.h: sums of squared differences of two planes. Each work group sums up a
// tile.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytesA = 1;
layout(constant_id = 1) const uint kBytesB = 1;
layout(constant_id = 2) const uint kShiftA = 0;
layout(constant_id = 3) const uint kShiftB = 0;

// A vector of 8-bit samples is a pair of words, one of 16-bit samples a quad.
layout(std430, binding = 0) readonly buffer PairsA { uvec2 pairs_a[]; };
layout(std430, binding = 0) readonly buffer QuadsA { uvec4 quads_a[]; };
layout(std430, binding = 1) readonly buffer PairsB { uvec2 pairs_b[]; };
layout(std430, binding = 1) readonly buffer QuadsB { uvec4 quads_b[]; };
layout(std430, binding = 2) writeonly buffer Sums { GroupSum sums[]; };

layout(push_constant) uniform Push { SquaredErrorPush p; };

shared uint group_low, group_high;

// Two 16-bit samples a word.
uvec4 words_of(uvec2 pair) {
  const uvec4 both = uvec4(pair.x, pair.x >> 16, pair.y, pair.y >> 16);
  return (both & 0xFF) | (both & 0xFF00) << 8;
}

uvec4 load_a(uint x, uint y) {
  const uint at = (y * p.stride_a + x * kBytesA) / (kVector * kBytesA);
  return kBytesA == 1 ? words_of(pairs_a[at]) : quads_a[at];
}
uvec4 load_b(uint x, uint y) {
  const uint at = (y * p.stride_b + x * kBytesB) / (kVector * kBytesB);
  return kBytesB == 1 ? words_of(pairs_b[at]) : quads_b[at];
}

// A difference of 16 bits, whatever its sign, has a square that fits 32 bits without one.
uint square(uint a, uint b) {
  const uint difference = (a << kShiftA & 0xFFFF) - (b << kShiftB & 0xFFFF);
  return difference * difference;
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kVector;
  const uint first_row = gl_WorkGroupID.y * kGroupY * kRows + gl_LocalInvocationID.y;
  if (gl_LocalInvocationIndex == 0) group_low = group_high = 0;
  barrier();

  uint low = 0, high = 0;
  for (uint i = 0; i < kRows; ++i) {
    const uint y = first_row + i * kGroupY;
    if (x >= p.width || y >= p.height) break;
    const uvec4 a = load_a(x, y), b = load_b(x, y);
    [[unroll]] for (uint k = 0; k < kVector; ++k) {
      const uint shift = 16 * (k & 1);
      const uint s = x + k < p.width ? square(a[k / 2] >> shift & 0xFFFF, b[k / 2] >> shift & 0xFFFF) : 0;
      low += s & 0xFFFF;
      high += s >> 16;
    }
  }
  atomicAdd(group_low, low);
  atomicAdd(group_high, high);
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    sums[p.first_sum + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] =
        GroupSum(group_low, group_high);
  }
}
