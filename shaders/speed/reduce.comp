// Reduces a plane to the samples that are kept: float_row, scale_row and filter_row with the anti-alias
// filter, see feature/speed/speed.h. Each work group makes some neighbouring samples of a row: one invocation
// a column of a sample's window first, over all rows of the window, and then one invocation a sample from its
// columns.
//
// Floats are added and multiplied in the order of the stages and rounded to nearest after each step (ADR
// 0068): `precise` forbids to contract them. No other operation on floats rounds. What a device may make 0 of
// is below 2^-126, which no sum in the covariance of a plane that is not singular notices.
#include "shared.h"
#include "../common/quotient.glsl"

layout(local_size_x = kGroupSize) in;
layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 1) const uint kSubtractedBytes = 0;
layout(constant_id = 2) const uint kTaps = 9;
layout(constant_id = 3) const uint kScaleTaps = 0;
layout(constant_id = 4) const bool kIsNormalised = false;

layout(std430, binding = 0) readonly buffer Plane { uint plane[]; };
layout(std430, binding = 1) readonly buffer Subtracted { uint subtracted[]; };
layout(std430, binding = 2) readonly buffer Weights { float weights[]; };
layout(std430, binding = 2) readonly buffer Indices { uint indices[]; };
layout(std430, binding = 3) writeonly buffer Kept { float kept[]; };

layout(push_constant) uniform Push { ReducePush p; };

const uint kReach = kTaps / 2;
const uint kGroupSamples = kGroupSize / kTaps;
const float kMiddle = 128;

shared float column_sums[kGroupSize];

// The index that stands for one beyond the plane's edges.
uint reflected(int i, uint size) {
  return i < 0 ? uint(-i) : uint(i) >= size ? 2 * size - uint(i) - 2 : uint(i);
}

// The sample of `bytes` bytes at byte `at` of the plane to which `word` belongs.
uint sample_in(uint word, uint at, uint bytes) {
  return bytes == 1 ? word >> 8 * (at & 3) & 0xFF : word >> 8 * (at & 2) & 0xFFFF;
}

float source_sample(uint x, uint y) {
  const uint at = y * p.stride + x * kBytes;
  precise float value = float(sample_in(plane[at / 4], at, kBytes)) * p.scale - kMiddle;
  if (kSubtractedBytes != 0) {
    const uint other = y * p.subtracted_stride + x * kSubtractedBytes;
    precise const float less =
        float(sample_in(subtracted[other / 4], other, kSubtractedBytes)) * p.subtracted_scale - kMiddle;
    value = value - less;
  }
  return value;
}

float scaled_sample(uint x, uint y) {
  const uint rows = kTaps + y, columns = kTaps + 2 * kScaleTaps * p.row_stride + x;
  precise float sum = 0, total = 0;
  [[dont_unroll]] for (uint t = 0; t < kScaleTaps; ++t) {
    const uint row = indices[rows + t * p.row_stride];
    const float row_weight = weights[rows + (kScaleTaps + t) * p.row_stride];
    for (uint u = 0; u < kScaleTaps; ++u) {
      const uint column = indices[columns + u * p.column_stride];
      precise const float weight = weights[columns + (kScaleTaps + u) * p.column_stride] * row_weight;
      sum = sum + source_sample(column, row) * weight;
      total = total + weight;
    }
  }
  return kIsNormalised ? quotient(sum, total) : sum;
}

float column_sum(uint x, uint middle) {
  precise float sum = 0;
  [[unroll]] for (uint t = 0; t < kTaps; ++t) {
    const uint y = reflected(int(middle + t) - int(kReach), p.scaled_height);
    sum = sum + weights[t] * (kScaleTaps == 0 ? source_sample(x, y) : scaled_sample(x, y));
  }
  return sum;
}

void main() {
  const uint i = gl_LocalInvocationIndex, row = gl_WorkGroupID.y, first = gl_WorkGroupID.x * kGroupSamples;
  const uint at = first + i / kTaps, tap = i % kTaps;
  if (i < kGroupSamples * kTaps && at < p.kept_width) {
    column_sums[i] = column_sum(reflected(int(kStep * at + tap) - int(kReach), p.scaled_width), kStep * row);
  }
  barrier();
  if (i < kGroupSamples && first + i < p.kept_width) {
    precise float sum = 0;
    [[unroll]] for (uint t = 0; t < kTaps; ++t) sum = sum + weights[t] * column_sums[i * kTaps + t];
    kept[row * p.out_stride + first + i] = sum;
  }
}
