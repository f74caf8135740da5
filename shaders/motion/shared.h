// Shared by the shader of motion and the program that runs it; planes are those of shaders/common/shared.h.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::motion::gpu {
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
