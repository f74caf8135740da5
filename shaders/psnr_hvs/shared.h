// Shared by the shaders of PSNR-HVS and the program that runs them. Planes are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes. Terms: see
// shaders/common/ordered_sum.glsl.
#ifdef __cplusplus
#pragma once
#include "shaders/common/shared.h"
namespace vq::psnr_hvs::gpu {
#endif

// One invocation has one block; a work group, a chunk.
const uint kChunkBlocks = 64;
const uint kBlockTerms = 64;
// Chunks of a plane are added up in slices, so that the memory for terms has a bound.
const uint kMostChunks = 2048;

// Specialization constants: 0, 1 bytes per sample of each plane; 2, 3 the shift of each to the common depth.
struct TermsPush {
  uint stride_a, stride_b;     // bytes
  uint blocks_across, blocks;  // of the plane
  uint first_block;            // of the slice
  float block_variance, quarter_variance;
};

// Contrast and masking of each frequency.
struct WeightTable {
  float contrast[kBlockTerms];
  float masking[kBlockTerms];
};

#ifdef __cplusplus
}  // namespace vq::psnr_hvs::gpu
#endif
