// blurred_difference of feature/motion/motion.h: sums of magnitudes of the blurred difference of two planes.
// Each work group sums up a tile.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 1) const uint kDepth = 8;

// A vector of 8-bit samples is a word, one of 16-bit samples a pair.
layout(std430, binding = 0) readonly buffer WordsBefore { uint words_before[]; };
layout(std430, binding = 0) readonly buffer PairsBefore { uvec2 pairs_before[]; };
layout(std430, binding = 1) readonly buffer WordsNow { uint words_now[]; };
layout(std430, binding = 1) readonly buffer PairsNow { uvec2 pairs_now[]; };
layout(std430, binding = 2) writeonly buffer Tiles { TileSum tiles[]; };

layout(push_constant) uniform Push { BlurredDifferencePush p; };

// The tile's rounded vertical sums, and later, of each invocation, what becomes its part of a TileSum.
// Columns that one invocation has are kGroupX apart, so that those of its neighbours lie side by side.
shared int sums[kTileHeight * kGroupX * kVector];

uint place_of(int column) {
  return uint(column % kVector * kGroupX + column / kVector);
}

// As the function of feature/words/filter.h.
int reflected(int index, int size) {
  index = abs(index);
  if (index < size) return index;
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  return min(index % period, period - index % period);
}

ivec4 samples_of(uint word) {
  return ivec4(word & 0xFF, word >> 8 & 0xFF, word >> 16 & 0xFF, word >> 24);
}
ivec4 samples_of(uvec2 pair) {
  return ivec4(pair.x & 0xFFFF, pair.x >> 16, pair.y & 0xFFFF, pair.y >> 16);
}

ivec4 load_before(uint x, uint y) {
  const uint at = (y * p.stride_before + x * kBytes) / (kVector * kBytes);
  return kBytes == 1 ? samples_of(words_before[at]) : samples_of(pairs_before[at]);
}
ivec4 load_now(uint x, uint y) {
  const uint at = (y * p.stride_now + x * kBytes) / (kVector * kBytes);
  return kBytes == 1 ? samples_of(words_now[at]) : samples_of(pairs_now[at]);
}

// The weighted sum of a centre, both neighbours and both next to these, shifted right by `shift` with
// rounding. Sums have up to 33 bits with their sign: they are kept halved. The first two taps are even, and
// half of what the third gives is rounded down, which the shift would do anyway.
ivec4 blurred(ivec4 centre, ivec4 inner, ivec4 outer, uint shift) {
  const ivec4 odd = (kTap2 * outer + (1 << (shift - 1))) >> 1;
  return (kTap0 / 2 * centre + kTap1 / 2 * inner + odd) >> (shift - 1);
}

// Puts the vertical sums of a vector from (x, y) on into place and returns the samples of its own rows,
// or-ed.
uint sum_columns(int x, int y) {
  const int width = int(p.width), height = int(p.height);
  // Vectors outside the picture, and columns after the last, are read but not used.
  const int column = x >= 0 && x < width ? x : 0;
  ivec4 rows[kRows + 2 * kRadius];
  ivec4 bits = ivec4(0);
  [[unroll]] for (int i = 0; i < kRows + 2 * kRadius; ++i) {
    const int row = reflected(y + i - kRadius, height);
    const ivec4 now = load_now(column, row);
    rows[i] = load_before(column, row) - now;
    if (i >= kRadius && i < kRadius + kRows) bits |= now;
  }
  [[unroll]] for (int i = 0; i < kRows; ++i) {
    const ivec4 sum = blurred(rows[i + 2], rows[i + 1] + rows[i + 3], rows[i] + rows[i + 4], kDepth);
    const uint first = (gl_LocalInvocationID.y * kRows + i) * kGroupX * kVector + gl_LocalInvocationID.x;
    [[unroll]] for (int k = 0; k < kVector; ++k) sums[first + k * kGroupX] = sum[k];
  }
  uint all = 0;
  [[unroll]] for (int k = 0; k < kVector; ++k) all |= column + k < width ? bits[k] : 0;
  return all;
}

// The magnitudes of the first `count` of a vector's columns from (x, y) on. Needs: all of them in the
// picture, count > 0.
uint sum_magnitudes(int x, int y, int count) {
  const int width = int(p.width);
  const int first_column = int(gl_WorkGroupID.x) * kTileWidth - kVector;
  uint places[kVector + 2 * kRadius];
  [[unroll]] for (int k = 0; k < kVector + 2 * kRadius; ++k) {
    // Columns too far to the right for any column that counts might lie outside the tile.
    const int column = min(x + k - kRadius, width - 1 + kRadius);
    places[k] = place_of(reflected(column, width) - first_column);
  }
  uint total = 0;
  [[unroll]] for (int i = 0; i < kRows; ++i) {
    const uint row = (gl_LocalInvocationID.y * kRows + i) * kGroupX * kVector;
    int v[kVector + 2 * kRadius];
    [[unroll]] for (int k = 0; k < kVector + 2 * kRadius; ++k) v[k] = sums[row + places[k]];
    const ivec4 outer = ivec4(v[0] + v[4], v[1] + v[5], v[2] + v[6], v[3] + v[7]);
    const ivec4 inner = ivec4(v[1] + v[3], v[2] + v[4], v[3] + v[5], v[4] + v[6]);
    const ivec4 magnitudes = abs(blurred(ivec4(v[2], v[3], v[4], v[5]), inner, outer, 16));
    [[unroll]] for (int k = 0; k < kVector; ++k) total +=
        k < count && y + i < int(p.height) ? magnitudes[k] : 0;
  }
  return total;
}

void main() {
  const int x = int(gl_WorkGroupID.x) * kTileWidth + (int(gl_LocalInvocationID.x) - 1) * kVector;
  const int y = int(gl_GlobalInvocationID.y) * kRows;
  const bool is_own = gl_LocalInvocationID.x > 0 && gl_LocalInvocationID.x < kGroupX - 1;
  const int count = is_own ? min(int(p.width) - x, kVector) : 0;
  const uint bits = sum_columns(x, y);
  barrier();
  const uint total = count > 0 ? sum_magnitudes(x, y, count) : 0;
  barrier();
  const uint here = gl_LocalInvocationIndex, invocations = kGroupX * kGroupY;
  sums[here] = int(total);
  sums[invocations + here] = int(bits);
  for (uint left = invocations / 2; left > 0; left /= 2) {
    barrier();
    if (here < left) {
      sums[here] += sums[here + left];
      sums[invocations + here] |= sums[invocations + here + left];
    }
  }
  if (here == 0)
    tiles[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = TileSum(sums[0], sums[invocations]);
}
