// Where terms lie that ordered_sum.glsl adds up, and roughly the sum of a chunk, whose work group makes it, a
// block an invocation. Included behind kChunkBlocks and kBlockTerms.
#ifndef COMMON_CHUNK_TERMS_GLSL
#define COMMON_CHUNK_TERMS_GLSL

// Term i of a block. Chunks lie one after the other.
uint term_place(uint chunk, uint block_index, uint i) {
  return (chunk * kBlockTerms + i) * kChunkBlocks + block_index;
}

shared float block_sums[kChunkBlocks];

// The sum of all blocks' `sum`, in any order.
float chunk_sum(float sum) {
  const uint lane = gl_LocalInvocationID.x;
  block_sums[lane] = sum;
  barrier();
  for (uint reach = kChunkBlocks / 2; reach > 0; reach /= 2) {
    if (lane < reach) block_sums[lane] += block_sums[lane + reach];
    barrier();
  }
  return block_sums[0];
}

#endif
