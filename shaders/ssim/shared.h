// Shared by the shaders of SSIM and the program that runs them. Planes of samples are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes. Planes of floats have one in each
// word.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::ssim::gpu {
#endif

// One invocation computes one sample of the shrunk or halved picture, and compares kRowsEach rows of one
// column.
const uint kGroupX = 32;
const uint kGroupY = 8;
const uint kRowsEach = 4;

// Push constants of shrinking. Specialization constants: 0 bytes per sample; 1 whether weights are powers of
// 2, so that rounding happens only at the end.
struct ShrinkPush {
  uint width, height, stride;              // of the picture; bytes
  uint out_width, out_height, out_stride;  // of the shrunk one; floats
  uint factor;                             // 2..64
  // The weight of a sample is mantissa x 2^k, with a mantissa of 24 bits. `exponent` is the float exponent of
  // 2^23 times the unit of the sums: 2^k, or, if weights are powers of 2, the weight.
  uint mantissa, exponent;
};

// Specialization constants: 0 bytes per sample, 4 for floats; 1 whether whole numbers do what doubles would
// even if pairs of floats settle how to round, for tests.
struct HalvePush {
  uint width, height, stride;              // of the picture; bytes
  uint out_width, out_height, out_stride;  // of the halved one; floats
  float unit;                              // of samples that are no floats
};

// Specialization constants: 0, 1 bytes per sample of each picture, 4 for floats; 2 as the second one above.
struct ComparePush {
  uint width, height;
  uint stride_a, stride_b;  // bytes
  float unit_a, unit_b;     // of samples that are no floats
  float c1, c2, c3;
  uint first_sum;  // index of this dispatch's first sum
};

// Quotients are added up as whole numbers: in units of 2^-kWholeBits, and what is left in those of
// 2^-kRestBits. Each is off by at most one of the latter.
const uint kWholeBits = 18;
const uint kRestBits = 38;

// Sums of a work group of kGroupX x (kGroupY * kRowsEach) positions.
struct QuotientSum {
  int whole, rest;
};
struct TileSum {
  QuotientSum luminance, contrast, structure;
  // Sum of the sizes of structures, in units of 2^-kSizeBits, each rounded up; kNoSize if one was too large
  // to be added.
  uint structure_size;
};
const uint kSizeBits = 10;
const uint kNoSize = 0xFFFFFFFFu;
const uint kMostStructure = 4;

#ifdef __cplusplus
}  // namespace vq::ssim::gpu
#endif
