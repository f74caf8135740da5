// Shared by the shaders of Butteraugli and the program that runs them, in the common part of GLSL and C++.
//
// Pictures: three planes of floats in one buffer, X, Y and B or R, G and B, `plane` floats from one to the
// next, with rows of `stride` floats. Buffers are used again: of a picture's five, `light` has the finest
// bands of X and Y in the end, `picture` the high bands and in its third plane the activity, `low` and
// `middle` these bands; `across` is what filters leave that went along rows.
//
// Tables of filters: kTableTaps taps, the middle one first, then a factor for each column and for each row.
#ifndef BUTTERAUGLI_SHARED_H
#define BUTTERAUGLI_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::butteraugli::gpu {
using uint = uint32_t;
#endif

const uint kTableTaps = 17;

// One invocation makes one sample: in filter_rows of this many in a row, else of a rectangle.
const uint kRowGroup = 256;
const uint kGroupX = 32;
const uint kGroupY = 8;

struct HalvePush {
  uint width, height, stride, plane;                  // of the whole picture
  uint out_width, out_height, out_stride, out_plane;  // of the half one
};

// Specialization constants: 0 the filter's reach; 1 whether pictures are mirrored at their borders, else
// they are 0 there.
struct FilterRowsPush {
  uint width, height, stride, plane;
  uint first_plane, first_out_plane;  // of the planes that are filtered, one for each z
};

// The shaders that filter columns. Specialization constants as above.
struct BandsPush {
  uint width, height, stride, plane;
  float intensity;  // of opsin
};

// compare: a work group makes a tile of kTile x kTile samples. Specialization constants: 0 whether the half
// scale's map is added; 1 whether the map is written; 2 whether its tiles are summed up.
struct ComparePush {
  uint width, height, stride, plane;
  uint half_stride;  // of the half scale's map; that of this scale has `stride`
  uint first_sum;    // of the results, in floats
  // Weights of line differences, by band: the finest, high and middle one of X, then of Y.
  float norm0, up0, down0, norm1, up1, down1, norm2, up2, down2;
  float norm3, up3, down3, norm4, up4, down4, norm5, up5, down5;
  float difference_x, excess_x, difference_y, excess_y;
};

// For each tile, row after row: its maximum, and sums of its samples' second, third, sixth and twelfth
// powers; see feature/butteraugli/butteraugli.h.
const uint kTileFloats = 5;

#ifdef __cplusplus
}  // namespace vq::butteraugli::gpu
#endif
#endif
