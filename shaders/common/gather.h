// Shared by the shader that gathers planes and the program that runs it, in the common part of GLSL and C++.
//
// Rows of what is made start at multiples of 16 bytes and have bytes up to the next behind their last sample.
// The source may be anywhere in a buffer of whole words, except samples of two bytes at odd bytes. Distances
// wrap: rows may lie from the last to the first, and samples from right to left.
#ifndef COMMON_GATHER_H
#define COMMON_GATHER_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::gather {
using uint = uint32_t;
#endif

// One invocation writes kWords words of a row, a work group this many such by this many rows.
const uint kWords = 4;
const uint kGroupX = 32;
const uint kGroupY = 4;

// Specialization constant 0: bytes of a sample, 1 or 2.
struct GatherPush {
  uint width, height;  // of the plane, in samples
  uint offset;         // of the first sample in the buffer, in bytes
  uint from_stride;    // bytes
  uint step;           // bytes between samples
  uint shift;          // unused bits below each sample
  uint to_stride;      // in vectors of 16 bytes
};

#ifdef __cplusplus
}  // namespace vq::gather
#endif
#endif
