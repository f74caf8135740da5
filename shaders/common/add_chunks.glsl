// The second of two shaders that add up terms: adds chunks to the sum by their steps. If the sum does not
// have the exponent that a chunk's step is for, or leaves it, the work group looks at the chunk's blocks
// instead, and if it leaves its exponent within a block, at that block's terms. It is a single work group.
// Included behind what ordered_sum.glsl needs.
#include "ordered_sum.glsl"

layout(local_size_x = kChunkBlocks) in;

layout(std430, binding = 0) readonly buffer Terms { float terms[]; };
layout(std430, binding = 1) readonly buffer Steps { Words chunk_steps[]; };  // even, odd
layout(std430, binding = 2) buffer Total { Words total; };

struct SumPush {
  uint chunks;  // of the slice
};
layout(push_constant) uniform Push { SumPush p; };

shared Number sum;
shared Step steps[kChunkBlocks];
shared uint first_refused;

// For the sum as it is.
Step chunk_step(uint chunk) {
  const uint exponent = exponent_of(sum);
  if (chunk >= p.chunks) return no_step(exponent);
  const Step step = Step(number_of(chunk_steps[2 * chunk]), number_of(chunk_steps[2 * chunk + 1]));
  return exponent_of(step.even) == exponent ? step : refused_step(exponent);
}
Step block_step(uint chunk, uint block_index) {
  Step step = no_step(exponent_of(sum));
  if (block_index >= kChunkBlocks) return step;
  [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i)
    step = with_term(step, terms[term_place(chunk, block_index, i)]);
  return step;
}

// Takes the steps of all, the first one first, up to one with which the sum leaves its exponent. Returns how
// many it took.
uint take(Step own) {
  const uint lane = gl_LocalInvocationID.x, exponent = exponent_of(sum);
  steps[lane] = own;
  if (lane == 0) first_refused = kChunkBlocks;
  barrier();
  for (uint reach = 1; reach < kChunkBlocks; reach *= 2) {
    if (lane >= reach) own = joined(steps[lane - reach], own, exponent);
    barrier();
    steps[lane] = own;
    barrier();
  }
  const Number result = after(sum, own, exponent);
  if (exponent_of(result) != exponent) atomicMin(first_refused, lane);
  barrier();
  const uint taken = first_refused;
  if (lane + 1 == taken) sum = result;
  barrier();
  return taken;
}

void add_blocks(uint chunk) {
  const uint lane = gl_LocalInvocationID.x;
  for (uint next = 0; next < kChunkBlocks; ++next) {
    next += take(block_step(chunk, next + lane));
    if (lane == 0 && next < kChunkBlocks) {
      precise Number exact = sum;
      [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i)
        exact = exact + Number(terms[term_place(chunk, next, i)]);
      sum = exact;
    }
    barrier();
  }
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  if (lane == 0) sum = number_of(total);
  barrier();
  for (uint next = 0; next < p.chunks;) {
    const uint taken = take(chunk_step(next + lane));
    next += taken;
    if (taken == kChunkBlocks) continue;
    add_blocks(next);
    ++next;
  }
  if (lane == 0) total = words_of(sum);
}
