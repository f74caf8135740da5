// What the shader that unpacks pictures and the program that runs it agree on, in the common part of GLSL and C++.
//
// Rows of either side start at multiples of 16 bytes and have bytes up to the next behind their last sample.
#ifndef COMMON_UNPACK_H
#define COMMON_UNPACK_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::unpack {
using uint = uint32_t;
#endif

// An invocation makes one vector of 16 bytes; a work group kGroupX of them in each of kGroupY rows.
const uint kGroupX = 64;
const uint kGroupY = 4;

// Specialization constants, in this order: bytes of a sample (1 or 2), and samples from one of the plane to the next (1 or 2).
const uint kSampleBytesId = 0;
const uint kStepId = 1;

struct UnpackPush {
  uint width, height;            // of the plane, in samples
  uint first_vector;             // where its rows begin in the picture
  uint from_stride, to_stride;   // in vectors
  uint first;                    // of the samples of a step, the plane's
  uint shift;                    // unused bits below each sample; bytes have none
};

#ifdef __cplusplus
}  // namespace vq::unpack
#endif
#endif
