// The second half of scale_plane of feature/fitting/fitting.h: weighted sums along the columns of those sums,
// as samples.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer From { int sums[]; };
layout(std430, binding = 1) readonly buffer Table { int table[]; };
layout(std430, binding = 2) writeonly buffer To { uint to_words[]; };

layout(push_constant) uniform Push { DownPush p; };

const uint kSamples = 4 / kBytes;  // of a word

void main() {
  const uint x = gl_GlobalInvocationID.x * kSamples, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  int total[kSamples];
  [[unroll]] for (uint i = 0; i < kSamples; ++i) total[i] = p.start;
  uint at = uint(table[y]) * p.from_stride + x;
  for (uint k = 0; k < p.count; ++k, at += p.from_stride) {
    const int weight = table[p.height + y * p.count + k];
    [[unroll]] for (uint i = 0; i < kSamples; ++i) total[i] += weight * sums[at + i];
  }
  uint word = 0;
  [[unroll]] for (uint i = 0; i < kSamples; ++i) {
    if (x + i >= p.width) continue;
    word |= uint(clamp(total[i] >> p.shift, p.least, p.most) + p.offset) << (8 * kBytes * i);
  }
  to_words[y * p.to_stride / 4 + gl_GlobalInvocationID.x] = word;
}
