// error_sum of feature/psnr_hvs/psnr_hvs.h, the second of its three shaders: adds the terms of each chunk to
// a sum as large as it is likely to be there. Each work group has one chunk.
#include "shared.h"
#include "steps.glsl"

layout(local_size_x = kChunkBlocks) in;

layout(std430, binding = 0) readonly buffer Terms { float terms[]; };
layout(std430, binding = 1) readonly buffer Sums { float chunk_sums[]; };
layout(std430, binding = 2) readonly buffer Total { float total; };
layout(std430, binding = 3) writeonly buffer Steps { ChunkStep chunk_steps[]; };

shared float partial_sums[kChunkBlocks];
shared Step steps[kChunkBlocks];

// About the sum of what comes before the chunk.
float sum_before() {
  const uint lane = gl_LocalInvocationID.x;
  float sum = 0;
  for (uint i = lane; i < gl_WorkGroupID.x; i += kChunkBlocks) sum += chunk_sums[i];
  partial_sums[lane] = sum;
  barrier();
  for (uint reach = kChunkBlocks / 2; reach > 0; reach /= 2) {
    if (lane < reach) partial_sums[lane] += partial_sums[lane + reach];
    barrier();
  }
  return total + partial_sums[0];
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint exponent = exponent_of(sum_before());
  Step own = kNoStep;
  if (exponent != kNoExponent) {
    [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
      own = joined(own, step_of(terms[(gl_WorkGroupID.x * kBlockTerms + i) * kChunkBlocks + lane], exponent));
    }
  }
  steps[lane] = own;
  barrier();
  for (uint reach = 1; reach < kChunkBlocks; reach *= 2) {
    if (lane % (2 * reach) == 0) steps[lane] = joined(steps[lane], steps[lane + reach]);
    barrier();
  }
  if (lane == 0) chunk_steps[gl_WorkGroupID.x] = ChunkStep(exponent, steps[0].even, steps[0].odd);
}
