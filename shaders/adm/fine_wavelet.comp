// fine_wavelet of feature/adm/adm.h: all bands of the finest scale of both pictures. A work group makes a
// tile. What it has filtered vertically it shares, with the two pictures in the halves of a word; it is then
// filtered horizontally, for band a with invocations side by side along rows, for detail along columns, as
// either is stored. It also finds samples beyond their depth.
#include "shared.h"
#include "area.glsl"
#include "taps.glsl"

layout(local_size_x = kFineInvocations) in;
layout(constant_id = 0) const uint kBytesReference = 1;
layout(constant_id = 1) const uint kBytesDistorted = 1;
layout(constant_id = 2) const uint kShiftReference = 0;
layout(constant_id = 3) const uint kShiftDistorted = 0;
layout(constant_id = 4) const uint kDepth = 8;
layout(constant_id = 5) const uint kDepthReference = 16;
layout(constant_id = 6) const uint kDepthDistorted = 16;

// Four samples are a word or a pair of words.
layout(std430, binding = 0) readonly buffer WordsReference { uint words_reference[]; };
layout(std430, binding = 0) readonly buffer PairsReference { uvec2 pairs_reference[]; };
layout(std430, binding = 1) readonly buffer WordsDistorted { uint words_distorted[]; };
layout(std430, binding = 1) readonly buffer PairsDistorted { uvec2 pairs_distorted[]; };
layout(std430, binding = 2) writeonly buffer Band { uint band[]; };
layout(std430, binding = 3) writeonly buffer Detail { uint detail[]; };
// Per work group: 1 if the reference, 2 if the distorted picture has samples beyond its depth.
layout(std430, binding = 4) writeonly buffer Flags { uint flags[]; };

layout(push_constant) uniform Push { FineWaveletPush p; };

const uint kUnit = 4;         // samples that an invocation filters side by side
const uint kUnits = 32;       // of them in a row
const uint kOutputRows = 2;   // that it makes of each
const uint kInputRows = 2 * kOutputRows + 2;
const uint kOdd = 64;         // columns: even ones first, so that neighbours in one band are neighbours here
const uint kPitch = 132;      // of rows, so that neither way along falls into one bank
const uint kLow = 0, kHigh = 1;

shared uint filtered[2][kFineRows][kPitch];
shared uint exceeding;

// Where the input's column is in a row of `filtered`; there are kUnit columns before the first of the tile.
uint place(int column) {
  const uint at = uint(column - int(2 * kFineColumns * gl_WorkGroupID.x) + int(kUnit));
  return (at & 1) * kOdd + at / 2;
}

// As they lie in memory.
uvec2 load_reference(uint x, uint y) {
  const uint at = (y * p.stride_reference + x * kBytesReference) / (kUnit * kBytesReference);
  return kBytesReference == 1 ? uvec2(words_reference[at], 0) : pairs_reference[at];
}
uvec2 load_distorted(uint x, uint y) {
  const uint at = (y * p.stride_distorted + x * kBytesDistorted) / (kUnit * kBytesDistorted);
  return kBytesDistorted == 1 ? uvec2(words_distorted[at], 0) : pairs_distorted[at];
}

ivec4 samples_of(uvec2 words, uint bytes) {
  if (bytes == 1) return ivec4(uvec4(words.x, words.x >> 8, words.x >> 16, words.x >> 24) & 0xFF);
  return ivec4(words.x & 0xFFFF, words.x >> 16, words.y & 0xFFFF, words.y >> 16);
}

// Whether one of the first `count` samples, of 16 bits each, has bits beyond the depth.
bool exceeds(uvec2 words, uint depth, uint count) {
  const uint beyond = 0xFFFF & ~((1u << depth) - 1);
  const uvec2 which = uvec2(count == 1 ? beyond : beyond * 0x10001,
                            count <= 2 ? 0 : count == 3 ? beyond : beyond * 0x10001);
  return (words & which) != uvec2(0);
}

// Output rows of a unit of one picture.
struct Rows {
  ivec4 low[kOutputRows], high[kOutputRows];
};

// Sums may pass 32 bits if the bias is taken off last; modulo 2^32 that does no harm.
Rows filtered_rows(uvec2 words[kInputRows], uint bytes, uint shift) {
  const ivec4 low = kLowTaps << shift, high = kHighTaps << shift;
  const int half_unit = 1 << (kDepth - 1);
  Rows rows;
  [[unroll]] for (uint i = 0; i < kOutputRows; ++i) {
    rows.low[i] = ivec4(half_unit - (46342 << (kDepth - 1)));
    rows.high[i] = ivec4(half_unit);
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      const ivec4 samples = samples_of(words[2 * i + k], bytes);
      rows.low[i] += low[k] * samples;
      rows.high[i] += high[k] * samples;
    }
    rows.low[i] >>= kDepth;
    rows.high[i] >>= kDepth;
  }
  return rows;
}

uvec4 packed(ivec4 reference, ivec4 distorted) {
  return uvec4(reference & 0xFFFF) | uvec4(distorted) << 16;
}

void store(uint which, uint row, uint unit, uvec4 words) {
  filtered[which][row][2 * unit] = words.x;
  filtered[which][row][2 * unit + 1] = words.z;
  filtered[which][row][kOdd + 2 * unit] = words.y;
  filtered[which][row][kOdd + 2 * unit + 1] = words.w;
}

void filter_vertically(uint first_row, bool has_detail) {
  const uint unit = gl_LocalInvocationIndex % kUnits, row = gl_LocalInvocationIndex / kUnits * kOutputRows;
  const int x = int(2 * kFineColumns * gl_WorkGroupID.x + kUnit * unit) - int(kUnit);
  if (x < 0 || x >= int(p.width)) return;
  uvec2 reference[kInputRows], distorted[kInputRows], seen_reference = uvec2(0), seen_distorted = uvec2(0);
  [[unroll]] for (uint i = 0; i < kInputRows; ++i) {
    const uint y = uint(mirrored(int(2 * (first_row + row) + i) - 1, int(p.height)));
    reference[i] = load_reference(uint(x), y);
    distorted[i] = load_distorted(uint(x), y);
    seen_reference |= reference[i];
    seen_distorted |= distorted[i];
  }
  const uint count = min(p.width - uint(x), kUnit);
  if (kDepthReference < 16 && exceeds(seen_reference, kDepthReference, count)) atomicOr(exceeding, 1);
  if (kDepthDistorted < 16 && exceeds(seen_distorted, kDepthDistorted, count)) atomicOr(exceeding, 2);
  const Rows a = filtered_rows(reference, kBytesReference, kShiftReference);
  const Rows b = filtered_rows(distorted, kBytesDistorted, kShiftDistorted);
  [[unroll]] for (uint i = 0; i < kOutputRows; ++i) {
    store(kLow, row + i, unit, packed(a.low[i], b.low[i]));
    if (has_detail) store(kHigh, row + i, unit, packed(a.high[i], b.high[i]));
  }
}

// Continues rows by the columns that their ends need.
void extend_rows() {
  const bool is_first = gl_WorkGroupID.x == 0, is_last = gl_WorkGroupID.x == gl_NumWorkGroups.x - 1;
  if (!is_first && !is_last) return;
  if (gl_LocalInvocationIndex < 2 * kFineRows) {
    const uint which = gl_LocalInvocationIndex % 2, row = gl_LocalInvocationIndex / 2;
    const int width = int(p.width);
    if (is_first) filtered[which][row][place(-1)] = filtered[which][row][place(1)];
    if (is_last) {
      filtered[which][row][place(width)] = filtered[which][row][place(width - 1)];
      filtered[which][row][place(width + 1)] = filtered[which][row][place(width - 2)];
    }
  }
  barrier();
}

// The four columns around the j-th output.
uvec4 columns_of(uint which, uint row, uint j) {
  return uvec4(filtered[which][row][kOdd + j + 1], filtered[which][row][j + 2],
               filtered[which][row][kOdd + j + 2], filtered[which][row][j + 3]);
}

int filtered_sum(ivec4 columns, ivec4 taps) {
  return (columns.x * taps.x + columns.y * taps.y + columns.z * taps.z + columns.w * taps.w + 0x8000) >> 16;
}
uint filtered_pair(uvec4 columns, ivec4 taps) {
  return uint(filtered_sum(ivec4(columns << 16) >> 16, taps) & 0xFFFF) |
         uint(filtered_sum(ivec4(columns) >> 16, taps)) << 16;
}

void store_band(uint first_row, uint first_column) {
  for (uint i = gl_LocalInvocationIndex; i < 64 * kFineRows; i += kFineInvocations) {
    const uint j = i % 64, row = first_row + i / 64, column = first_column + j;
    if (j >= kFineColumns || row >= p.band_height || column >= p.band_width) continue;
    band[row * p.band_width + column] = filtered_pair(columns_of(kLow, i / 64, j), kLowTaps);
  }
}

void store_detail(uint first_row, uint first_column) {
  for (uint i = gl_LocalInvocationIndex; i < kFineColumns * kFineRows; i += kFineInvocations) {
    const uint j = i / kFineRows, row = first_row + i % kFineRows, column = first_column + j;
    if (!is_in_area(row, column, p.area)) continue;
    const uvec4 low = columns_of(kLow, i % kFineRows, j), high = columns_of(kHigh, i % kFineRows, j);
    detail[place_in_area(0, row, column, p.area)] = filtered_pair(high, kLowTaps);
    detail[place_in_area(1, row, column, p.area)] = filtered_pair(low, kHighTaps);
    detail[place_in_area(2, row, column, p.area)] = filtered_pair(high, kHighTaps);
  }
}

void main() {
  const uint first_row = gl_WorkGroupID.y * kFineRows, first_column = gl_WorkGroupID.x * kFineColumns;
  const bool has_detail = meets_area(first_row, kFineRows, first_column, kFineColumns, p.area);
  if (gl_LocalInvocationIndex == 0) exceeding = 0;
  barrier();
  filter_vertically(first_row, has_detail);
  barrier();
  if (gl_LocalInvocationIndex == 0)
    flags[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = exceeding;
  extend_rows();
  store_band(first_row, first_column);
  if (has_detail) store_detail(first_row, first_column);
}
