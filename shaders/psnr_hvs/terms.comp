// error_sum of feature/psnr_hvs/psnr_hvs.h, the first of its three shaders: the visible errors of blocks in
// each frequency. Floats are added and multiplied in the order of the stage, and `precise` forbids to
// contract them.
#include "../common/quotient.glsl"
#include "../common/root.glsl"
#include "shared.h"
#include "../common/chunk_terms.glsl"
#include "transform.glsl"

layout(local_size_x = kChunkBlocks) in;
layout(constant_id = 0) const uint kBytesA = 1;
layout(constant_id = 1) const uint kBytesB = 1;
layout(constant_id = 2) const uint kShiftA = 0;
layout(constant_id = 3) const uint kShiftB = 0;

layout(std430, binding = 0) readonly buffer A { uint words_a[]; };
layout(std430, binding = 1) readonly buffer B { uint words_b[]; };
layout(std430, binding = 2) readonly buffer Weights { WeightTable weights; };
layout(std430, binding = 3) buffer Terms { uint terms[]; };  // bits of floats
layout(std430, binding = 4) writeonly buffer Sums { float chunk_sums[]; };

layout(push_constant) uniform Push { TermsPush p; };

const uint kBlockStep = 7, kQuarterSide = 4;
// Powers of 2, by which products are exact.
const float kPerBlock = 1.0 / 64, kPerQuarter = 1.0 / 16, kMaskScale = 1.0 / 32;

int sample_of(bool is_a, uint x, uint y) {
  if (is_a) {
    const uint at = y * p.stride_a + x * kBytesA;
    return int((words_a[at / 4] >> 8 * (at & 3) & (kBytesA == 1 ? 0xFF : 0xFFFF)) << kShiftA);
  }
  const uint at = y * p.stride_b + x * kBytesB;
  return int((words_b[at / 4] >> 8 * (at & 3) & (kBytesB == 1 ? 0xFF : 0xFFFF)) << kShiftB);
}

uint quarter_of(uint i) {
  return i / kBlockSide / kQuarterSide + 2 * (i % kBlockSide / kQuarterSide);
}

// How large the variance within the quarters of a block is beside that of the whole.
float detail_of(int block[kBlockTerms]) {
  int sums[4] = {0, 0, 0, 0};
  [[unroll]] for (uint i = 0; i < kBlockTerms; ++i) sums[quarter_of(i)] += block[i];
  const float mean = float(sums[0] + sums[1] + sums[2] + sums[3]) * kPerBlock;
  precise float variance = 0, quarters[4] = {0, 0, 0, 0};
  [[unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
    const uint q = quarter_of(i);
    precise const float from_mean = float(block[i]) - mean,
                        from_own = float(block[i]) - float(sums[q]) * kPerQuarter;
    variance = variance + from_mean * from_mean;
    quarters[q] = quarters[q] + from_own * from_own;
  }
  precise const float whole = variance * p.block_variance;
  precise const float parts = quarters[0] * p.quarter_variance + quarters[1] * p.quarter_variance +
                              quarters[2] * p.quarter_variance + quarters[3] * p.quarter_variance;
  return whole > 0 ? quotient(parts, whole) : whole;
}

// How much of an error a block hides, by its transform.
float mask_of(int block[kBlockTerms], float detail) {
  precise float sum = 0;
  [[unroll]] for (uint i = 1; i < kBlockTerms; ++i) {
    sum = sum + float(block[i] * block[i]) * weights.masking[i];
  }
  precise const float square = sum * detail;
  precise const float mask = root(square) * kMaskScale;
  return mask;
}

// The visible part of a difference in frequency i.
float visible(int difference, uint i, float mask) {
  float error = float(difference);
  if (i != 0) {
    const float masking = weights.masking[i];
    // Most differences are not seen, which takes no exact quotient to tell.
    if (error * masking < mask * 0.9999) return 0;
    const float hidden = quotient(mask, masking);
    precise const float rest = error - hidden;
    error = error < hidden ? 0 : rest;
  }
  precise const float weighted = error * weights.contrast[i];
  precise const float term = weighted * weighted;
  return term;
}

uint place_of(uint i) {
  return term_place(gl_WorkGroupID.x, gl_LocalInvocationID.x, i);
}

// Leaves the differences of both transforms in place of the terms, and returns the mask.
float compare_blocks(uint block_index) {
  const uint left = block_index % p.blocks_across * kBlockStep,
             top = block_index / p.blocks_across * kBlockStep;
  float mask = 0;
  [[dont_unroll]] for (uint picture = 0; picture < 2; ++picture) {
    int block[kBlockTerms];
    [[unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
      block[i] = sample_of(picture == 0, left + i % kBlockSide, top + i / kBlockSide);
    }
    const float detail = detail_of(block);
    transform(block);
    mask = max(mask, mask_of(block, detail));
    [[unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
      const uint at = place_of(i);
      terms[at] = picture == 0 ? uint(block[i]) : uint(abs(int(terms[at]) - block[i]));
    }
  }
  return mask;
}

void main() {
  const uint block_index = p.first_block + gl_WorkGroupID.x * kChunkBlocks + gl_LocalInvocationID.x;
  const bool is_inside = block_index < p.blocks;
  const float mask = is_inside ? compare_blocks(block_index) : 0;
  float sum = 0;
  [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
    const uint at = place_of(i);
    const float term = is_inside ? visible(int(terms[at]), i, mask) : 0;
    terms[at] = floatBitsToUint(term);
    sum += term;
  }
  const float sum_of_all = chunk_sum(sum);
  if (gl_LocalInvocationID.x == 0) chunk_sums[gl_WorkGroupID.x] = sum_of_all;
}
