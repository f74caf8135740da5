// Shared by the shaders that count amounts (feature/light/amounts.h) and the program that runs them, in the
// common part of GLSL and C++.
//
// The counts of a picture, words one behind the other: kAmountBins bins, zeros to begin with, and then the
// words of each work group: the sum of the lower and that of the upper 16 bits of its amounts, the largest of
// them, and how many are above a unit; a shader may have more.
#ifndef LIGHT_AMOUNTS_H
#define LIGHT_AMOUNTS_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::light::gpu {
using uint = uint32_t;
#endif

const uint kBinsOfOctave = 256;
const uint kAmountBins = 4352;
const uint kAmountWords = 4;

// An invocation has one column of a work group's rows.
const uint kAmountsX = 32;
const uint kAmountsY = 8;
const uint kAmountRows = 8;

#ifdef __cplusplus
}  // namespace vq::light::gpu
#endif
#endif
