// spatial_mask of feature/cambi/stages.h, with the derivative in it. A work group makes a tile of kMaskTileX
// by kMaskTileY samples in three steps: one bit for each flat sample of the tile and its surroundings; how
// many of them are set in the box's row around each column, four counts to a word; their sums down the box's
// column.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;

layout(std430, binding = 0) readonly buffer ImageQuads { uvec4 image_quads[]; };
layout(std430, binding = 0) readonly buffer ImageWords { uint image_words[]; };
layout(std430, binding = 1) writeonly buffer Mask { uint mask_words[]; };

layout(push_constant) uniform Push { MaskPush p; };

#include "derivative.glsl"

const uint kThreads = kGroupX * kGroupY;
const uint kTileRows = kMaskTileY + 2 * kMaskReach;
const uint kTileVectors = kMaskTileX / kVector;
const uint kTileWords = kMaskTileX / 4;
const uint kRowsEach = kMaskTileY / kGroupY;
const uint kBox = (1 << (2 * kMaskReach + 1)) - 1;

shared uint flat_samples[kTileRows][kTileVectors + 2];  // a vector more on either side
shared uint row_counts[kTileRows][kTileWords];

void find_flat_samples(ivec2 origin) {
  for (uint i = gl_LocalInvocationIndex; i < kTileRows * (kTileVectors + 2); i += kThreads) {
    const uint row = i / (kTileVectors + 2), vector = i % (kTileVectors + 2);
    const ivec2 at = origin + ivec2((int(vector) - 1) * int(kVector), int(row) - int(kMaskReach));
    flat_samples[row][vector] = flat_bits(at.x, at.y);
  }
}

void count_rows() {
  for (uint i = gl_LocalInvocationIndex; i < kTileRows * kTileVectors; i += kThreads) {
    const uint row = i / kTileVectors, vector = i % kTileVectors;
    // The bits of three vectors, the lowest that of the first sample's box.
    const uint bits = (flat_samples[row][vector] | flat_samples[row][vector + 1] << kVector |
                       flat_samples[row][vector + 2] << (2 * kVector)) >> (kVector - kMaskReach);
    uvec2 counts = uvec2(0);
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      counts.x |= bitCount(bits >> k & kBox) << (8 * k);
      counts.y |= bitCount(bits >> (k + 4) & kBox) << (8 * k);
    }
    row_counts[row][2 * vector] = counts.x;
    row_counts[row][2 * vector + 1] = counts.y;
  }
}

void main() {
  const uvec2 tile = gl_WorkGroupID.xy * uvec2(kMaskTileX, kMaskTileY);
  find_flat_samples(ivec2(tile));
  barrier();
  count_rows();
  barrier();

  const uint word = gl_LocalInvocationID.x, first = gl_LocalInvocationID.y * kRowsEach;
  if (tile.x + 4 * word >= p.width) return;
  uint sums = 0;
  [[unroll]] for (uint i = 0; i < 2 * kMaskReach; ++i) sums += row_counts[first + i][word];
  [[unroll]] for (uint i = 0; i < kRowsEach; ++i) {
    const uint y = tile.y + first + i;
    if (y >= p.height) return;
    sums += row_counts[first + i + 2 * kMaskReach][word];
    // The highest bit of each byte is set if the sum, at most 49, exceeds the threshold.
    const uint exceeds = (sums + uint(127 - p.threshold) * 0x01010101) >> 7 & 0x01010101;
    mask_words[y * (p.out_stride / 4) + tile.x / 4 + word] = exceeds;
    sums -= row_counts[first + i][word];
  }
}
