// Shared by the shaders of CIEDE2000 and the program that runs them. Planes are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes. Terms are the differences, row
// after row, and zeros behind them: see shaders/common/ordered_sum.glsl.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::ciede {
#endif

// One invocation has one block of samples, which lie side by side; a work group, a chunk.
const uint kChunkBlocks = 128;
const uint kBlockTerms = 8;
// Chunks are added up in slices, so that the memory for terms has a bound.
const uint kMostChunks = 16384;

// Layout of a picture.
struct PictureLayout {
  uint stride, chroma_stride;  // bytes
  uint last_column, last_row;  // of chroma
  uint shift_x, shift_y;       // of chroma against luma
  uint depth_shift;            // to the left, to the depth of both
};

// Specialization constants: 0, 1 bytes per sample of each picture.
struct DifferencesPush {
  uint width, height;
  uint first_block;  // of the slice
  uint step;         // of the depth: 1 for 8 bits, twice as much for each more
  // Steps of luma and of chroma: the words of doubles, the lower ones first.
  uint luma_unit_low, luma_unit_high, chroma_unit_low, chroma_unit_high;
  PictureLayout first, second;
};

#ifdef __cplusplus
}  // namespace vq::ciede
#endif
