// Shared by the shader of PSNR and the program that runs it; planes are those of shaders/common/shared.h.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::psnr {
#endif

// One invocation compares kVector neighbouring samples in each of kRows rows, kGroupY rows apart; a work
// group this many such vectors by this many invocations.
const uint kVector = 8;
const uint kRows = 8;
const uint kGroupX = 32;
const uint kGroupY = 8;

// Specialization constants: 0, 1 bytes per sample of each plane; 2, 3 the shift of each to the common depth.
struct SquaredErrorPush {
  uint width, height;
  uint stride_a, stride_b;  // bytes
  uint first_sum;           // index of this dispatch's first sum
};

// The result of a work group: the sums of the lower and of the upper 16 bits of its squared errors. Each fits
// 32 bits, as a work group has 2^14 samples.
struct GroupSum {
  uint low, high;
};

#ifdef __cplusplus
}  // namespace vq::psnr
#endif
