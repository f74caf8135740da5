// Shared by the shader of spatial and temporal information and the program that runs it. Planes are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::siti::gpu {
#endif

// An invocation has one column of a work group's rows.
const uint kGroupX = 32;
const uint kGroupY = 8;
const uint kRows = 8;

// Sums of a work group: of the lower and the upper 16 bits of gradients, of three pieces of 16 bits of their
// squares, of changes, as two's complement, and of the lower and the upper 16 bits of their squares.
const uint kGradientWord = 0;
const uint kSquareWord = 2;
const uint kChangeWord = 5;
const uint kSquaredChangeWord = 6;
const uint kGroupWords = 8;

// Specialization constant 0: bytes of a sample.
struct SumsPush {
  uint width, height;
  uint stride_now, stride_before;  // bytes
  uint top;                        // the largest sample of the table
  uint shift;                      // bits of roots after the point
};

#ifdef __cplusplus
}  // namespace vq::siti::gpu
#endif
