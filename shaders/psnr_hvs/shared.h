// Shared by the shaders of PSNR-HVS and the program that runs them. Planes are those of
// shaders/common/shared.h, but every row starts at a multiple of 4 bytes.
//
// Terms: those of kChunkBlocks blocks lie together, a chunk. Term i of its block b is at i * kChunkBlocks +
// b.
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

struct SumPush {
  uint chunks;  // of the slice
};

// The effect of adding a chunk's terms to a sum m * 2^(k - 150) with 2^23 <= m < 2^24: m becomes larger by
// `even` or `odd`, as m is even or odd. `exponent` is k, and 0 if there is none. Holds where the sum has this
// exponent and m stays at most 2^24.
struct ChunkStep {
  uint exponent, even, odd;
};

#ifdef __cplusplus
}  // namespace vq::psnr_hvs::gpu
#endif
