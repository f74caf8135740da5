// statistics of feature/vif/vif.h: the statistics of a scale. A work group processes a tile in three steps:
// each invocation filters a column of samples and products; then it filters along a run of a row and computes
// moments; then it processes single samples.
#include "shared.h"

layout(local_size_x = kColumns) in;
layout(constant_id = 0) const uint kScale = 0;
layout(constant_id = 1) const bool kHasShortSide = false;
layout(constant_id = 2) const bool kAreBytes = false;

layout(std430, binding = 0) readonly buffer Pairs { uint pair_words[]; };
// LogTable of feature/vif/vif.h.
layout(std430, binding = 1) readonly buffer LogEntries { uint log_entries[]; };
layout(std430, binding = 2) writeonly buffer Sums { uint sums[]; };  // kSums of each group

layout(push_constant) uniform Push { StatisticsPush p; };

#include "filters.glsl"
#include "gain.glsl"
#include "moments.glsl"

// For numbers from 2^15 on.
uint log2_units(uint number) {
  const uint dropped = uint(findMSB(number)) - 15, digits = number >> dropped;
  return ((log_entries[digits >> 3 & 0xFFF] + (digits & 7)) >> 3) + 2048 * dropped;
}

void add_sample(uint sample_number, inout uint own[kSums]) {
  const uint v1 = tile_words[sample_number];
  const uint v2 = uint(max(int(tile_words[kPlane + sample_number]), 0));
  const int covariance = int(tile_words[2 * kPlane + sample_number]);
  if (int(v1) < int(kNoise)) {
    ++own[kFlat];
    own[kFlatVarianceLow] += v2 & 0xFFFF;
    own[kFlatVarianceHigh] += v2 >> 16;
    return;
  }
  own[kDenLog] += log2_units(kNoise + v1) - 2048 * 17;
  if (covariance <= 0 || v2 == 0) return;
  const Explained explained = explain(v1, v2, uint(covariance), p.limit, p.limit_squared);
  own[kNumLog] += log2_units(explained.all) - log2_units(explained.noise);
}

const uint kParts = 8;
const uint kOfGroup = 3 * kPlane;  // in tile_words, where no moments are

void store_group_sums(uint own[kSums]) {
  const uint invocation = gl_LocalInvocationIndex, parts = kOfGroup + kSums * kColumns;
  [[unroll]] for (uint i = 0; i < kSums; ++i) tile_words[kOfGroup + i * kColumns + invocation] = own[i];
  barrier();
  if (invocation < kSums * kParts) {
    uint sum = 0;
    for (uint k = 0; k < kColumns / kParts; ++k)
      sum += tile_words[kOfGroup + invocation * (kColumns / kParts) + k];
    tile_words[parts + invocation] = sum;
  }
  barrier();
  if (invocation >= kSums) return;
  uint sum = 0;
  for (uint k = 0; k < kParts; ++k) sum += tile_words[parts + invocation * kParts + k];
  sums[(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kSums + invocation] = sum;
}

void main() {
  const uint columns = kTileWidth + 2 * radius_of(kScale);
  const uvec2 tile = gl_WorkGroupID.xy * uvec2(kTileWidth, kTileRows);
  if (gl_LocalInvocationIndex < columns) {
    [[dont_unroll]] for (uint row = 0; row < kTileRows; row += kRowsEach) {
      filter_column(gl_LocalInvocationIndex, row, int(tile.y + row));
    }
  }
  barrier();
  find_moments();
  barrier();

  uint own[kSums];
  [[unroll]] for (uint i = 0; i < kSums; ++i) own[i] = 0;
  [[dont_unroll]] for (uint i = gl_LocalInvocationIndex; i < kTileRows * kTileWidth; i += kColumns) {
    if (tile.x + i % kTileWidth < p.width && tile.y + i / kTileWidth < p.height) add_sample(i, own);
  }
  store_group_sums(own);
}
