// coarse_wavelet of feature/adm/adm.h: all bands of a coarser scale of one picture. Work groups as in
// fine_wavelet.comp, with the picture as their third dimension.
//
// Sums of products with numbers of 32 bits are two of 32 bits: of their upper halves, and of their lower
// ones, which are of 16 bits without a sign.
#include "shared.h"
#include "area.glsl"
#include "taps.glsl"

layout(local_size_x = kCoarseInvocations) in;
layout(constant_id = 0) const bool kIsPacked = false;
layout(constant_id = 1) const uint kVerticalShift = 16;
layout(constant_id = 2) const uint kHorizontalShift = 16;
layout(constant_id = 3) const bool kHasBand = true;

layout(std430, binding = 0) readonly buffer Input { uint samples[]; };
layout(std430, binding = 1) writeonly buffer Band { int band[]; };
layout(std430, binding = 2) writeonly buffer Detail { int detail[]; };

layout(push_constant) uniform Push { CoarseWaveletPush p; };

const uint kWidth = 64;      // columns of the input that a work group filters
const uint kOutputRows = 4;  // that an invocation makes of one
const uint kInputRows = 2 * kOutputRows + 2;
// As in fine_wavelet.comp.
const uint kOdd = 48, kPitch = 82;
const uint kLow = 0, kHigh = 1;

shared int filtered[2][kCoarseRows][kPitch];

// Where the input's column is in a row of `filtered`, or would be; there is one column before the first of
// the tile.
uint column_of(int column) {
  return uint(column - int(2 * kCoarseColumns * gl_WorkGroupID.x) + 1);
}
uint place(uint at) {
  return (at & 1) * kOdd + at / 2;
}

int load(uint x, uint y) {
  const uint at = y * p.width + x;
  if (!kIsPacked) return int(samples[gl_WorkGroupID.z * p.width * p.height + at]);
  return int(samples[at] << (gl_WorkGroupID.z == 0 ? 16 : 0)) >> 16;
}

int sum_of(ivec4 numbers, ivec4 taps) {
  return numbers.x * taps.x + numbers.y * taps.y + numbers.z * taps.z + numbers.w * taps.w;
}

// The sum of products, rounded and shifted right, 15 or 16. The sum of lower halves is made positive for
// that.
int filtered_sum(ivec4 upper, ivec4 lower, ivec4 taps, uint shift) {
  const int bias = -(min(taps.x, 0) + min(taps.y, 0) + min(taps.z, 0) + min(taps.w, 0));
  const uint low = uint(sum_of(lower, taps)) + uint(bias << 16) + (1u << (shift - 1));
  return ((sum_of(upper, taps) - bias) << (16 - shift)) + int(low >> shift);
}

int vertical_sum(ivec4 column, ivec4 taps) {
  if (kVerticalShift == 0) return sum_of(column, taps);  // of 16 bits
  return filtered_sum(column >> 16, column & 0xFFFF, taps, kVerticalShift);
}

void filter_vertically(uint first_row, bool has_detail) {
  const uint at = gl_LocalInvocationIndex % kWidth, row = gl_LocalInvocationIndex / kWidth * kOutputRows;
  const int x = int(2 * kCoarseColumns * gl_WorkGroupID.x + at) - 1;
  if (x < 0 || x >= int(p.width)) return;
  int inputs[kInputRows];
  [[unroll]] for (uint i = 0; i < kInputRows; ++i) {
    inputs[i] = load(uint(x), uint(mirrored(int(2 * (first_row + row) + i) - 1, int(p.height))));
  }
  [[unroll]] for (uint i = 0; i < kOutputRows; ++i) {
    const ivec4 column = ivec4(inputs[2 * i], inputs[2 * i + 1], inputs[2 * i + 2], inputs[2 * i + 3]);
    filtered[kLow][row + i][place(at)] = vertical_sum(column, kLowTaps);
    if (has_detail) filtered[kHigh][row + i][place(at)] = vertical_sum(column, kHighTaps);
  }
}

// Continues rows by the columns that their ends need.
void extend_rows() {
  const bool is_first = gl_WorkGroupID.x == 0, is_last = gl_WorkGroupID.x == gl_NumWorkGroups.x - 1;
  if (!is_first && !is_last) return;
  if (gl_LocalInvocationIndex < 2 * kCoarseRows) {
    const uint which = gl_LocalInvocationIndex % 2, row = gl_LocalInvocationIndex / 2;
    if (is_first) filtered[which][row][place(0)] = filtered[which][row][place(2)];
    const uint end = column_of(int(p.width));
    if (is_last && end < kWidth) filtered[which][row][place(end)] = filtered[which][row][place(end - 1)];
    if (is_last && end + 1 < kWidth)
      filtered[which][row][place(end + 1)] = filtered[which][row][place(end - 2)];
  }
  barrier();
}

// The four columns around the j-th output.
ivec4 columns_of(uint which, uint row, uint j) {
  return ivec4(filtered[which][row][j], filtered[which][row][kOdd + j], filtered[which][row][j + 1],
               filtered[which][row][kOdd + j + 1]);
}

int horizontal_sum(ivec4 columns, ivec4 taps) {
  return filtered_sum(columns >> 16, columns & 0xFFFF, taps, kHorizontalShift);
}

void store_band(uint first_row, uint first_column) {
  for (uint i = gl_LocalInvocationIndex; i < 32 * kCoarseRows; i += kCoarseInvocations) {
    const uint j = i % 32, row = first_row + i / 32, column = first_column + j;
    if (j >= kCoarseColumns || row >= p.band_height || column >= p.band_width) continue;
    band[(gl_WorkGroupID.z * p.band_height + row) * p.band_width + column] =
        horizontal_sum(columns_of(kLow, i / 32, j), kLowTaps);
  }
}

void store_detail(uint first_row, uint first_column) {
  const uint bands = 3 * gl_WorkGroupID.z;
  for (uint i = gl_LocalInvocationIndex; i < kCoarseColumns * kCoarseRows; i += kCoarseInvocations) {
    const uint j = i / kCoarseRows, row = first_row + i % kCoarseRows, column = first_column + j;
    if (!is_in_area(row, column, p.area)) continue;
    const ivec4 low = columns_of(kLow, i % kCoarseRows, j), high = columns_of(kHigh, i % kCoarseRows, j);
    detail[place_in_area(bands, row, column, p.area)] = horizontal_sum(high, kLowTaps);
    detail[place_in_area(bands + 1, row, column, p.area)] = horizontal_sum(low, kHighTaps);
    detail[place_in_area(bands + 2, row, column, p.area)] = horizontal_sum(high, kHighTaps);
  }
}

void main() {
  const uint first_row = gl_WorkGroupID.y * kCoarseRows, first_column = gl_WorkGroupID.x * kCoarseColumns;
  const bool has_detail = meets_area(first_row, kCoarseRows, first_column, kCoarseColumns, p.area);
  filter_vertically(first_row, has_detail);
  barrier();
  extend_rows();
  if (kHasBand) store_band(first_row, first_column);
  if (has_detail) store_detail(first_row, first_column);
}
