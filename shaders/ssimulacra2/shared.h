// Shared by the shaders of SSIMULACRA 2 and the program that runs them.
//
// Light is three planes of floats, R, G and B, each in a buffer of its own.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::ssimulacra2::gpu {
#endif

// Halving: one invocation makes one sample of a plane.
const uint kHalveX = 32;
const uint kHalveY = 8;

struct HalvePush {
  uint width, height;       // of what is halved
  uint stride, out_stride;  // floats
};

// Comparison: a work group has a tile of one channel, an invocation one sample.
const uint kTileSide = 16;
const uint kMostSums = 6;

// Specialization constants: 0 the channel, X, Y or B; 1 whether local values are wanted.
struct ComparePush {
  uint width, height;
  uint stride;  // of light, in floats
  uint tile_columns, tiles;
  uint first_sum;     // of the channel: sum k of tile i goes to [(first_sum + k) * tiles + i]
  uint wanted;        // bit 2 * map + norm of each sum that is wanted
  uint local_stride;  // floats
  uint is_first;      // 1: there are no local values yet
  float structure_weight, artefact_weight, detail_weight;  // for local values
};

#ifdef __cplusplus
}  // namespace vq::ssimulacra2::gpu
#endif
