// The first of two shaders that add up terms: what those of each chunk do to a sum as large as it is likely
// to be there. Each work group has one chunk. Included behind what ordered_sum.glsl needs.
#include "ordered_sum.glsl"

layout(local_size_x = kChunkBlocks) in;

layout(std430, binding = 0) readonly buffer Terms { float terms[]; };
layout(std430, binding = 1) readonly buffer Sums { float chunk_sums[]; };
layout(std430, binding = 2) readonly buffer Total { Words total; };
layout(std430, binding = 3) writeonly buffer Steps { Words chunk_steps[]; };  // even, odd

shared Step steps[kChunkBlocks];

// The exponent of the sum before the chunk, or of nearly that sum.
uint likely_exponent() {
  const uint lane = gl_LocalInvocationID.x;
  float sum = 0;
  for (uint i = lane; i < gl_WorkGroupID.x; i += kChunkBlocks) sum += chunk_sums[i];
  return exponent_of(number_of(total) + Number(chunk_sum(sum)));
}

void main() {
  const uint lane = gl_LocalInvocationID.x, exponent = likely_exponent();
  Step own = no_step(exponent);
  [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i)
    own = with_term(own, terms[term_place(gl_WorkGroupID.x, lane, i)]);
  steps[lane] = own;
  barrier();
  for (uint reach = 1; reach < kChunkBlocks; reach *= 2) {
    if (lane % (2 * reach) == 0) steps[lane] = joined(steps[lane], steps[lane + reach], exponent);
    barrier();
  }
  if (lane != 0) return;
  const Step all_terms = steps[0];
  const bool is_usable = exponent_of(all_terms.even) == exponent && exponent_of(all_terms.odd) == exponent;
  const Number none = -1;
  chunk_steps[2 * gl_WorkGroupID.x] = words_of(is_usable ? all_terms.even : none);
  chunk_steps[2 * gl_WorkGroupID.x + 1] = words_of(is_usable ? all_terms.odd : none);
}
