// What the shader of SSIM and the program that runs it agree on, in the common part of GLSL and C++.
//
// Planes of samples: rows packed into 32-bit words, the leftmost sample in the lowest bits; every row starts
// at a multiple of 4 bytes and has bytes up to the next behind its last sample, which the shader may read,
// whatever they hold.
#ifndef SSIM_SHARED_H
#define SSIM_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::ssim::gpu {
using uint = uint32_t;
#endif

// One invocation computes one sample of the shrunk picture.
const uint kGroupX = 32;
const uint kGroupY = 8;

// Specialization constants: 0 bytes per sample; 1 whether weights are powers of 2, so that rounding happens
// only at the end.
struct ShrinkPush {
  uint width, height, stride;              // of the picture; bytes
  uint out_width, out_height, out_stride;  // of the shrunk one; floats
  uint factor;                             // 2..64
  // The weight of a sample is mantissa x 2^k, with a mantissa of 24 bits. `exponent` is the float exponent of
  // 2^23 times the unit of the sums: 2^k, or, if weights are powers of 2, the weight.
  uint mantissa, exponent;
};

#ifdef __cplusplus
}  // namespace vq::ssim::gpu
#endif
#endif
