// Shared by the shader of black pictures and flashes and the program that runs it. Planes are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::stretches::gpu {
#endif

// A work group has a cell.
const uint kGroupX = 32;
const uint kGroupY = 8;
const uint kCellColumns = 16;
const uint kCellRows = 9;

// Words of a cell: the sums of the lowest, the middle and the highest 8 bits of luminance, each of which fits
// 32 bits, and the black samples.
const uint kCellWords = 4;

// Specialization constant 0: bytes of a sample.
struct CellsPush {
  uint width, height;
  uint stride;  // bytes
  uint top;     // the largest code of the table
  uint black;
};

#ifdef __cplusplus
}  // namespace vq::stretches::gpu
#endif
