// Shared by the shaders of PSNR-HVS and the program that runs them, in the common part of GLSL and C++.
//
// Planes: rows of samples packed into 32-bit words, the leftmost in the lowest bits. Every row starts at a
// multiple of 4 bytes and has bytes up to the next behind its last sample, which the shader may read,
// whatever they hold.
//
// Terms: those of kChunkBlocks blocks lie together, a chunk. Term i of its block b is at i * kChunkBlocks +
// b.
#ifndef PSNR_HVS_SHARED_H
#define PSNR_HVS_SHARED_H

#ifdef __cplusplus
#include <cstdint>
namespace vq::psnr_hvs::gpu {
using uint = uint32_t;
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
#endif
