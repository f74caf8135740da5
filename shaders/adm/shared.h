// Layouts and constants that the shaders of ADM share with the program.
// Stages and names are those of feature/adm/adm.h.
//
// Band a of the finest scale: rows without gaps; each word has the reference's coefficient in the lower and
// the distorted picture's in the upper 16 bits. At coarser scales: the reference's rows of words, then the
// distorted picture's.
//
// Detail exists only for the masking rows and columns, and is stored by columns, see DetailArea: bands h, v
// and d in sequence, words as above; at coarser scales three bands of the reference, then three of the
// distorted picture.
//
// Sums: one of 64 bits for each kind (three of the reference, three restored, three added), strip of columns
// and row.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::adm::gpu {
// Stand-in for GLSL's type; the order of members is GLSL's.
struct uvec2 {
  uint x, y;
};
#endif

// Columns and rows of the finest scale's bands that a work group computes, and its invocations: each filters
// four columns and two output rows vertically.
const uint kFineColumns = 60;
const uint kFineRows = 8;
const uint kFineInvocations = 128;
// The same for coarser scales; each invocation filters a column and four output rows.
const uint kCoarseColumns = 31;
const uint kCoarseRows = 16;
const uint kCoarseInvocations = 256;

// Number of rows that a work group walks along, one per invocation; the first and the last serve only as
// neighbours.
const uint kStripInvocations = 64;
const uint kStripRows = kStripInvocations - 2;

// Number of rows of sums that a work group rounds and adds up, and number of invocations per row, which share
// its strips.
const uint kRowsAdded = 64;
const uint kStripShares = 4;
const uint kKinds = 9;
const uint kScalesAdded = 4;

// Rows and columns that have detail. Column c begins (c - first_column) * pitch words after the start of the
// band, with first_row rounded down to a multiple of kRowAlignment.
const uint kRowAlignment = 8;
struct DetailArea {
  uint first_row, end_row, first_column, end_column;
  uint pitch;
};

// Specialization constants: 0, 1 bytes per sample of the reference and of the distorted picture; 2, 3 the
// shift of samples to the common depth; 4 that depth; 5, 6 the videos' own depths, 16 if every sample is in
// range.
struct FineWaveletPush {
  uint stride_reference, stride_distorted;  // bytes
  uint width, height;                       // of the pictures
  uint band_width, band_height;
  DetailArea area;
};

// Specialization constants: 0 whether the input is that of the finest scale; 1, 2 the vertical and the
// horizontal shift; 3 whether band a is needed.
struct CoarseWaveletPush {
  uint width, height;  // of the input
  uint band_width, band_height;
  DetailArea area;
};

// Specialization constants: 0 whether the gain limit is an integer, 1 whether added detail is summed.
struct CubesPush {
  uint width, height;                                 // of the bands
  uint first_row, end_row, first_column, end_column;  // counted rows and columns
  DetailArea area;
  uint strip;  // columns of a work group
  uint straight_factor, diagonal_factor;
  uint reference_square, reference_cube;  // shifts; unused for the finest scale
  uint square_straight, square_diagonal;  // shifts
  uint cube_straight, cube_diagonal;
  // The gain limit, or its mantissa of 53 bits and the bits after the point.
  uint gain, gain_high, gain_shift;
};

// The sums of a scale.
struct RowSums {
  uint rows, strips;
  uint reference_shift, masked_shift;  // the former may be 0
  uint first;                          // index of the first result
};

struct AddRowsPush {
  RowSums scales[kScalesAdded];
  uint flags, flags_at;  // number of flags, and index of their result
};

#ifdef __cplusplus
}  // namespace vq::adm::gpu
#endif
