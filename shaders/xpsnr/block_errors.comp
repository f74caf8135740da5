// block_errors of feature/xpsnr/xpsnr.h: sums of squared differences of two planes, block by block.
#include "shared.h"
#include "tile.glsl"

layout(local_size_x = kGroup) in;
layout(constant_id = 3) const uint kBytesA = 1;
layout(constant_id = 4) const uint kBytesB = 1;
layout(constant_id = 5) const uint kShiftA = 0;
layout(constant_id = 6) const uint kShiftB = 0;

// A vector of 8-bit samples is a word, one of 16-bit samples a pair.
layout(std430, binding = 0) readonly buffer WordsA { uint words_a[]; };
layout(std430, binding = 0) readonly buffer PairsA { uvec2 pairs_a[]; };
layout(std430, binding = 1) readonly buffer WordsB { uint words_b[]; };
layout(std430, binding = 1) readonly buffer PairsB { uvec2 pairs_b[]; };
layout(std430, binding = 2) writeonly buffer Sums { TileError sums[]; };

layout(push_constant) uniform Push { BlockPush p; };

shared uint tile_low, tile_high;

ivec4 load_a(uint x, uint y) {
  const uint at = (y * p.stride_a + x * kBytesA) / (kVector * kBytesA);
  return shifted(kBytesA == 1 ? samples_of(words_a[at]) : samples_of(pairs_a[at]), kShiftA);
}
ivec4 load_b(uint x, uint y) {
  const uint at = (y * p.stride_b + x * kBytesB) / (kVector * kBytesB);
  return shifted(kBytesB == 1 ? samples_of(words_b[at]) : samples_of(pairs_b[at]), kShiftB);
}

void main() {
  const Tile tile = own_tile(ivec2(p.width, p.height));
  if (gl_LocalInvocationIndex == 0) tile_low = tile_high = 0;
  barrier();

  // A block need not start with a vector: there may be two of which it has a part.
  const uint row_vectors = kBlockWidth / kVector + 2;
  const int first = tile.start.x / int(kVector) * int(kVector);
  uint low = 0, high = 0;
  for (uint i = gl_LocalInvocationIndex; i < row_vectors * kTileRows; i += kGroup) {
    const int x = first + int(i % row_vectors * kVector), y = tile.start.y + int(i / row_vectors);
    if (x >= tile.end.x || y >= tile.end.y) continue;
    // A difference of 16 bits, whatever its sign, has a square that fits 32 bits without one.
    const uvec4 difference = uvec4(load_a(x, y) - load_b(x, y));
    const uvec4 square = difference * difference;
    [[unroll]] for (int k = 0; k < int(kVector); ++k) {
      const bool counts = tile.start.x <= x + k && x + k < tile.end.x;
      low += counts ? square[k] & 0xFFFF : 0;
      high += counts ? square[k] >> 16 : 0;
    }
  }
  atomicAdd(tile_low, low);
  atomicAdd(tile_high, high);
  barrier();
  if (gl_LocalInvocationIndex == 0) sums[sum_index(p.first_sum)] = TileError(tile_low, tile_high);
}
