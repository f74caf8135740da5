// error_sum of feature/psnr_hvs/psnr_hvs.h, the last of its three shaders: adds the chunks of a slice to the
// sum, one after the other, in the order of their terms. If the sum does not have the exponent that a chunk's
// step is for, or leaves it, the work group looks at the chunk's blocks instead, and if it leaves its
// exponent within a block, at that block's terms. It is a single work group.
#include "shared.h"
#include "steps.glsl"

layout(local_size_x = kChunkBlocks) in;

layout(std430, binding = 0) readonly buffer Terms { float terms[]; };
layout(std430, binding = 1) readonly buffer Sums { float chunk_sums[]; };
layout(std430, binding = 2) readonly buffer Steps { ChunkStep chunk_steps[]; };
layout(std430, binding = 3) buffer Total { float total; };

layout(push_constant) uniform Push { SumPush p; };

shared float sum;
shared uint next_chunk;
shared ChunkStep coming[kChunkBlocks];
shared bool is_empty[kChunkBlocks];
shared Step steps[kChunkBlocks];
shared uint first_refused, next_block;

float term_at(uint chunk, uint block_index, uint i) {
  return terms[(chunk * kBlockTerms + i) * kChunkBlocks + block_index];
}

// The chunks from `first` on, as far as that is possible.
void take_steps(uint first) {
  for (uint i = 0; i < kChunkBlocks; ++i) {
    next_chunk = first + i;
    if (next_chunk == p.chunks) return;
    if (is_empty[i]) continue;
    const Step by = Step(coming[i].even, coming[i].odd);
    if (coming[i].exponent == kNoExponent || coming[i].exponent != exponent_of(sum) || !may_take(sum, by))
      return;
    sum = after(sum, by);
  }
  next_chunk = first + kChunkBlocks;
}

// The step of a block, for the sum as it is.
Step block_step(uint chunk, uint block_index) {
  Step step = kNoStep;
  const uint exponent = exponent_of(sum);
  [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i) {
    const float term = term_at(chunk, block_index, i);
    if (exponent != kNoExponent) {
      step = joined(step, step_of(term, exponent));
    } else if (term != 0) {
      step = Step(kTooMuch, kTooMuch);
    }
  }
  return step;
}

// Joins the steps of all blocks up to each.
void join_steps() {
  const uint lane = gl_LocalInvocationID.x;
  for (uint reach = 1; reach < kChunkBlocks; reach *= 2) {
    const Step joint = lane >= reach ? joined(steps[lane - reach], steps[lane]) : steps[lane];
    barrier();
    steps[lane] = joint;
    barrier();
  }
}

// Up to the first block that the sum cannot take in a step, and that block.
void take_blocks(uint chunk) {
  if (first_refused > 0) {
    const Step by = steps[first_refused - 1];
    // A sum of 0 stays that.
    if (exponent_of(sum) != kNoExponent) sum = after(sum, by);
  }
  if (first_refused < kChunkBlocks) {
    precise float exact = sum;
    [[dont_unroll]] for (uint i = 0; i < kBlockTerms; ++i) exact = exact + term_at(chunk, first_refused, i);
    sum = exact;
  }
  next_block = first_refused + 1;
}

void add_blocks(uint chunk) {
  const uint lane = gl_LocalInvocationID.x;
  if (lane == 0) next_block = 0;
  barrier();
  while (next_block < kChunkBlocks) {
    steps[lane] = lane < next_block ? kNoStep : block_step(chunk, lane);
    if (lane == 0) first_refused = kChunkBlocks;
    barrier();
    join_steps();
    if (!may_take(sum, steps[lane])) atomicMin(first_refused, lane);
    barrier();
    if (lane == 0) take_blocks(chunk);
    barrier();
  }
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  if (lane == 0) {
    sum = total;
    next_chunk = 0;
  }
  barrier();
  while (next_chunk < p.chunks) {
    const uint first = next_chunk;
    if (first + lane < p.chunks) {
      coming[lane] = chunk_steps[first + lane];
      is_empty[lane] = chunk_sums[first + lane] == 0;
    }
    barrier();
    if (lane == 0) take_steps(first);
    barrier();
    const uint refused = next_chunk;
    if (refused < p.chunks && refused < first + kChunkBlocks) {
      add_blocks(refused);
      barrier();
      if (lane == 0) next_chunk = refused + 1;
      barrier();
    }
  }
  if (lane == 0) total = sum;
}
