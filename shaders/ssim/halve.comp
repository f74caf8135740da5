// halve of feature/ssim/ssim.h: every second sample of every second row, after a low-pass.
#include "../common/double_sum.glsl"
#include "picture.glsl"
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;
layout(constant_id = 1) const bool kInDoubles = false;

layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { float out_floats[]; };

layout(push_constant) uniform Push { HalvePush p; };

const int kReach = 4, kTaps = 2 * kReach + 1;
// The upper left quarter with the middle row and column, row by row: a driver was seen to take wrong taps
// from an array of arrays.
const int kSide = kReach + 1;
const float kLowPass[kSide * kSide] = {
  0.000714, -0.000450, -0.002090, 0.007132, 0.016114,
  -0.000450, 0.000283, 0.001316, -0.004490, -0.010146,
  -0.002090, 0.001316, 0.006115, -0.020867, -0.047149,
  0.007132, -0.004490, -0.020867, 0.071207, 0.160885,
  0.016114, -0.010146, -0.047149, 0.160885, 0.363505};
// For 81 terms; see is_settled().
const float kShare = 1.0 / (1 << 18) / (1 << 18);

int mirrored(int i, int n) {
  return i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i;
}

// Sample (u, v) of the low-pass around a sample, weighted.
float term_at(ivec2 around, int u, int v) {
  const uint x = uint(mirrored(around.x + u - kReach, int(p.width)));
  const uint at = uint(mirrored(around.y + v - kReach, int(p.height))) * p.stride + x * kBytes;
  const int tap = (kReach - abs(v - kReach)) * kSide + kReach - abs(u - kReach);
  precise const float term = sample_in(in_words[at / 4], at, kBytes, p.unit) * kLowPass[tap];
  return term;
}

// As doubles would add up the terms.
float exact_sum(ivec2 around) {
  SignedDouble sum = kDoubleZero;
  [[dont_unroll]] for (int i = 0; i < kTaps * kTaps; ++i) {
    sum = sum_of(sum, double_of(term_at(around, i % kTaps, i / kTaps)));
  }
  return float_of(sum);
}

void main() {
  const ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  if (place.x >= p.out_width || place.y >= p.out_height) return;
  PairSum sum = PairSum(0, 0, 0);
  [[dont_unroll]] for (int v = 0; v < kTaps; ++v) {
    [[unroll]] for (int u = 0; u < kTaps; ++u) add_term(sum, term_at(2 * place, u, v));
  }
  float rounded;
  if (!is_settled(sum, kShare, rounded) || kInDoubles) rounded = exact_sum(2 * place);
  out_floats[place.y * p.out_stride + place.x] = rounded;
}
