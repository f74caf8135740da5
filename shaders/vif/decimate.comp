// decimate of feature/vif/vif.h: decimation of both pictures of a scale. A work group makes a tile in two
// steps: each invocation filters a column in the rows that remain, then single samples are filtered along
// these rows in the columns that remain.
#include "shared.h"

layout(local_size_x = kColumns) in;
layout(constant_id = 0) const uint kScale = 0;
layout(constant_id = 1) const bool kHasShortSide = false;

layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { uint out_words[]; };

layout(push_constant) uniform Push { DecimatePush p; };

#include "filters.glsl"

const uint kNext = kScale + 1;

// Both pictures' sums, rounded, in a word.
shared uint filtered[kTileRows][kColumns];

void filter_column(int column, int first_row) {
  const int radius = int(radius_of(kNext));
  const uint x = reflected(column, p.width);
  uint reference[kTileRows], distorted[kTileRows];
  [[unroll]] for (int i = 0; i < int(kTileRows); ++i) reference[i] = distorted[i] = 1u << (p.shift - 1);
  [[unroll]] for (int k = 0; k < 2 * int(kTileRows) - 1 + 2 * radius; ++k) {
    const uint word = in_words[reflected(first_row - radius + k, p.height) * p.in_pitch + x];
    [[unroll]] for (int i = 0; i < int(kTileRows); ++i) {
      const uint distance = uint(abs(k - radius - 2 * i));
      if (distance > radius) continue;
      reference[i] += tap_of(kNext, distance) * (word & 0xFFFF);
      distorted[i] += tap_of(kNext, distance) * (word >> 16);
    }
  }
  [[unroll]] for (uint i = 0; i < kTileRows; ++i) {
    filtered[i][gl_LocalInvocationIndex] = (reference[i] >> p.shift) | (distorted[i] >> p.shift) << 16;
  }
}

// Around the sample that is at `column` of the tile.
uint filter_row(uint row, uint column) {
  const int radius = int(radius_of(kNext));
  uint reference = 0x8000, distorted = 0x8000;
  [[unroll]] for (int k = -radius; k <= radius; ++k) {
    const uint word = filtered[row][column + k];
    reference += tap_of(kNext, uint(abs(k))) * (word & 0xFFFF);
    distorted += tap_of(kNext, uint(abs(k))) * (word >> 16);
  }
  return reference >> 16 | (distorted & 0xFFFF0000);
}

void main() {
  const uint radius = radius_of(kNext), tile_width = kColumns / 2 - radius;
  const uvec2 tile = gl_WorkGroupID.xy * uvec2(tile_width, kTileRows);
  filter_column(int(2 * tile.x + gl_LocalInvocationIndex) - int(radius), int(2 * tile.y));
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < kTileRows * tile_width; i += kColumns) {
    const uint row = i / tile_width, column = i % tile_width;
    if (tile.x + column >= p.out_width || tile.y + row >= p.out_height) continue;
    out_words[(tile.y + row) * p.out_pitch + tile.x + column] = filter_row(row, radius + 2 * column);
  }
}
