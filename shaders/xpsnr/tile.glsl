// The tile of a work group, and the samples in vectors.
#ifndef XPSNR_TILE_GLSL
#define XPSNR_TILE_GLSL

layout(constant_id = 0) const uint kBlockWidth = 64;
layout(constant_id = 1) const uint kBlockHeight = 64;
layout(constant_id = 2) const uint kTileRows = 64;

// Samples of a plane from `start` up to `end`.
struct Tile {
  ivec2 start, end;
};

uint tiles_of_block() {
  return (kBlockHeight + kTileRows - 1) / kTileRows;
}

Tile own_tile(ivec2 plane) {
  const uint block_row = gl_WorkGroupID.y / tiles_of_block(), part = gl_WorkGroupID.y % tiles_of_block();
  const ivec2 block = ivec2(gl_WorkGroupID.x * kBlockWidth, block_row * kBlockHeight);
  Tile tile;
  tile.start = block + ivec2(0, part * kTileRows);
  tile.end =
      min(min(block + ivec2(kBlockWidth, kBlockHeight), tile.start + ivec2(kBlockWidth, kTileRows)), plane);
  return tile;
}

uint sum_index(uint first) {
  return first + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

ivec4 samples_of(uint word) {
  return ivec4(word & 0xFF, word >> 8 & 0xFF, word >> 16 & 0xFF, word >> 24);
}
ivec4 samples_of(uvec2 pair) {
  return ivec4(pair.x & 0xFFFF, pair.x >> 16, pair.y & 0xFFFF, pair.y >> 16);
}
ivec4 shifted(ivec4 samples, uint shift) {
  return samples << shift & 0xFFFF;
}

#endif
