// count_non_black of feature/active_area.h: lit samples of each row and each column. Each work group counts
// those of a tile in memory of its own, then adds them to those of the picture.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

// A vector of 8-bit samples is a pair of words, one of 16-bit samples a quad.
layout(std430, binding = 0) readonly buffer Pairs { uvec2 pairs[]; };
layout(std430, binding = 0) readonly buffer Quads { uvec4 quads[]; };
// For all rows, then for all columns; initially 0.
layout(std430, binding = 1) buffer Counts { uint counts[]; };

layout(push_constant) uniform Push { CountLitPush p; };

shared uint row_counts[kTileHeight];
shared uint column_counts[kTileWidth];

// Two 16-bit samples a word.
uvec4 load(uint x, uint y) {
  const uint at = (y * p.stride + x * kBytes) / (kVector * kBytes);
  if (kBytes == 2) return quads[at];
  const uvec2 pair = pairs[at];
  const uvec4 both = uvec4(pair.x, pair.x >> 16, pair.y, pair.y >> 16);
  return (both & 0xFF) | (both & 0xFF00) << 8;
}

void main() {
  const uint tile_x = gl_WorkGroupID.x * kTileWidth, tile_y = gl_WorkGroupID.y * kTileHeight;
  const uint group_size = kGroupX * kGroupY;
  for (uint i = gl_LocalInvocationIndex; i < kTileHeight; i += group_size) row_counts[i] = 0;
  for (uint i = gl_LocalInvocationIndex; i < kTileWidth; i += group_size) column_counts[i] = 0;
  barrier();

  const uint column = gl_LocalInvocationID.x * kVector, x = tile_x + column;
  uint columns[kVector];
  [[unroll]] for (uint k = 0; k < kVector; ++k) columns[k] = 0;
  for (uint i = 0; i < kRows; ++i) {
    const uint row = i * kGroupY + gl_LocalInvocationID.y, y = tile_y + row;
    if (x >= p.width || y >= p.height) break;
    const uvec4 samples = load(x, y);
    uint lit_of_row = 0;
    [[unroll]] for (uint k = 0; k < kVector; ++k) {
      const uint level = samples[k / 2] >> 16 * (k & 1) & 0xFFFF;
      const uint lit = uint(x + k < p.width && level > p.black);
      columns[k] += lit;
      lit_of_row += lit;
    }
    if (lit_of_row != 0) atomicAdd(row_counts[row], lit_of_row);
  }
  [[unroll]] for (uint k = 0; k < kVector; ++k) {
    if (columns[k] != 0) atomicAdd(column_counts[column + k], columns[k]);
  }
  barrier();

  for (uint i = gl_LocalInvocationIndex; i < kTileHeight; i += group_size) {
    if (row_counts[i] != 0) atomicAdd(counts[tile_y + i], row_counts[i]);
  }
  for (uint i = gl_LocalInvocationIndex; i < kTileWidth; i += group_size) {
    if (column_counts[i] != 0) atomicAdd(counts[p.height + tile_x + i], column_counts[i]);
  }
}
