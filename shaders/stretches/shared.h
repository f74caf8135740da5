// Shared by the shader of black pictures and flashes and the program that runs it, in the common part of GLSL
// and C++.
//
// Planes: rows of samples packed into 32-bit words, the leftmost in the lowest bits; every row starts at a
// multiple of 4 bytes.
#ifndef STRETCHES_SHARED_H
#define STRETCHES_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::stretches::gpu {
using uint = uint32_t;
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
#endif
