// What the shaders of CAMBI and the program that runs them agree on, in the common part of GLSL and C++: tile
// sizes, the numbers of specialization constants, and push constants.
//
// Planes: rows of samples packed into 32-bit words, the leftmost in the lowest bits. Every row starts at a
// multiple of 16 bytes and has at least kRowSlack bytes behind its last sample, which shaders may read,
// whatever they hold, and write.
#ifndef CAMBI_SHARED_H
#define CAMBI_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::cambi::gpu {
using uint = uint32_t;
#endif

const uint kRowSlack = 64;

// Most shaders: one invocation makes kVector neighbouring samples, a work group this many such vectors by
// this many rows of invocations.
const uint kVector = 8;
const uint kGroupX = 32;
const uint kGroupY = 8;

// Preprocess. Specialization constants: 0 bytes of an input sample, 1 its depth, 2 whether it is resized, 3
// whether it is anti-dithered.
struct PreprocessPush {
  uint width, height;  // of the output
  uint in_stride;      // bytes
  uint out_stride;     // bytes
  uint in_words;       // of the whole input; looked through for samples above the depth's maximum
};

// The spatial mask: tiles of one work group.
const uint kMaskTileX = 128;
const uint kMaskTileY = 32;
const uint kMaskReach = 3;  // half the box
struct MaskPush {
  uint width, height;
  uint in_stride, out_stride;  // bytes
  int threshold;               // -1..127
};

// Decimation of a mask, several times at once: out[y][x] = in[y << shift][x << shift].
struct DecimatePush {
  uint width, height;          // of the output
  uint in_stride, out_stride;  // bytes
  uint shift;
};

// The mode filter. Specialization constant 0: 1, or 2 to decimate the input first.
const uint kFilterRows = 2;  // that one invocation makes
struct ModeFilterPush {
  uint width, height;          // of the output
  uint in_stride, out_stride;  // bytes
};

#ifdef __cplusplus
}  // namespace vq::cambi::gpu
#endif
#endif
