// count_plane of feature/histogram/histogram.h: counts the samples of a plane. Each work group counts a tile.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

// A vector of 8-bit samples is a pair of words, one of 16-bit samples a quad.
layout(std430, binding = 0) readonly buffer Pairs { uvec2 pairs[]; };
layout(std430, binding = 0) readonly buffer Quads { uvec4 quads[]; };
layout(std430, binding = 1) buffer Counts { uint counts[]; };

layout(push_constant) uniform Push { CountPlanePush p; };

const uint kChannels = 1;
// Samples in 16-bit words may be beyond the range of their depth.
const bool kIsInRange = kBytes == 1;
#include "bins.glsl"

uvec4 load(uint x, uint y) {
  const uint at = (y * p.stride + x * kBytes) / (kVector * kBytes);
  return kBytes == 1 ? uvec4(pairs[at], 0, 0) : quads[at];
}

void count_samples() {
  const uint x = gl_GlobalInvocationID.x * kVector;
  const uint first_row = gl_WorkGroupID.y * kGroupY * kRowsEach + gl_LocalInvocationID.y;
  if (x >= p.width || first_row >= p.height) return;
  const uint end_row = min(first_row + kGroupY * kRowsEach, p.height);
  uvec4 next = load(x, first_row);
  for (uint y = first_row; y < end_row; y += kGroupY) {
    // The next row is on its way while this one is counted.
    const uvec4 words = next;
    next = load(x, min(y + kGroupY, p.height - 1));
    [[unroll]] for (uint k = 0; k < kVector; ++k) {
      const uint byte = k * kBytes;
      if (x + k < p.width) count(k, 0, words[byte / 4] >> 8 * (byte % 4) & (1 << 8 * kBytes) - 1);
    }
    count_vector(min(p.width - x, kVector));
  }
}

void main() {
  start_counting();
  count_samples();
  finish_counting();
  add_to_counts();
}
