// Shared by the shader of Delta E ITP and the program that runs it, in the common part of GLSL and C++.
//
// Light is three planes of floats, R, G and B, each in a buffer of its own.
#ifndef ITP_SHARED_H
#define ITP_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::itp::gpu {
using uint = uint32_t;
#endif

// The table, floats one behind the other: the matrices of the first video and of the second, kMatrixRows rows
// of three each, and then PQ.
const uint kMatrixRows = 7;
const uint kPqStart = 2 * 3 * kMatrixRows;

// Words of a work group behind those of amounts: sums of the lower and of the upper 16 bits of squared errors
// of luminance, and then of R, G and B.
const uint kLuminanceWord = 4;
const uint kRgbWord = 6;
const uint kDifferenceWords = 8;

struct DifferencesPush {
  uint width, height;
  uint stride;  // floats
};

#ifdef __cplusplus
}  // namespace vq::itp::gpu
#endif
#endif
