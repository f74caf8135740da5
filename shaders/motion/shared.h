// Shared by the shader of motion and the program that runs it, in the common part of GLSL and C++.
//
// Planes: rows of samples packed into 32-bit words, the leftmost in the lowest bits. Every row starts at a
// multiple of 16 bytes and has bytes up to the next behind its last sample, which the shader may read,
// whatever they hold.
#ifndef MOTION_SHARED_H
#define MOTION_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::motion::gpu {
using uint = uint32_t;
#endif

// The blur's taps, from the centre outwards.
const int kTap0 = 26386;
const int kTap1 = 16004;
const int kTap2 = 3571;
const int kRadius = 2;

// One invocation has a vector of kVector neighbouring columns in kRows rows; a work group this many of them.
// The vectors at both ends of a row belong to the neighbouring tiles, where the blur reads.
const int kVector = 4;
const int kRows = 4;
const int kGroupX = 64;
const int kGroupY = 4;
const int kTileWidth = kVector * (kGroupX - 2);
const int kTileHeight = kRows * kGroupY;

// Specialization constants: 0 bytes per sample; 1 its significant bits.
struct BlurredDifferencePush {
  uint width, height;
  uint stride_before, stride_now;  // bytes
};

// The result of a work group: the sum of its magnitudes, and the bitwise or of its samples in the current
// picture.
struct TileSum {
  uint magnitude, bits;
};

#ifdef __cplusplus
}  // namespace vq::motion::gpu
#endif
#endif
