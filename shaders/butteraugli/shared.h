// Shared by the shaders of Butteraugli and the program that runs them, in the common part of GLSL and C++.
//
// Pictures: three planes of floats in one buffer, X, Y and B or R, G and B, `plane` floats from one to the
// next, with rows of `stride` floats. Buffers are used again: of a picture's five, `light` has the finest
// bands of X and Y in the end, and in its third plane the activity before it is blurred; `picture` what
// becomes the high and the finest bands; `high` what is left beside the lowest band, then the high bands and
// in its third plane the activity; `low` and `middle` these bands.
//
// Tables of filters: a factor for each column and for each row.
#ifndef BUTTERAUGLI_SHARED_H
#define BUTTERAUGLI_SHARED_H

#include "constants.h"

#ifdef __cplusplus
#include <cstdint>
namespace vq::butteraugli::gpu {
using uint = uint32_t;
#endif

// The work group of halve, a sample an invocation.
const uint kGroupX = 32;
const uint kGroupY = 8;

// The work group of filters, and the side of the tile that it makes.
const uint kFilterGroup = 256;
const uint kFilterTile = 32;
const uint kTapVectors = (kLowReach + 1 + 3) / 4;

struct HalvePush {
  uint width, height, stride, plane;                  // of the whole picture
  uint out_width, out_height, out_stride, out_plane;  // of the half one
};

// The shaders that filter.
struct BandsPush {
  uint width, height, stride, plane;
  // The middle one first. Vectors, as not every translator can place other arrays.
#ifdef __cplusplus
  float taps[4 * kTapVectors];
#else
  vec4 taps[kTapVectors];
#endif
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
