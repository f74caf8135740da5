// The first half of scale_plane of feature/fitting/fitting.h: weighted sums along the rows of a plane.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer From { uint from_words[]; };
layout(std430, binding = 1) readonly buffer Table { int table[]; };
layout(std430, binding = 2) writeonly buffer To { int sums[]; };

layout(push_constant) uniform Push { AcrossPush p; };

const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  uint at = y * p.from_stride + uint(table[x]) * kBytes;
  int sum = 0;
  for (uint k = 0; k < p.count; ++k, at += kBytes)
    sum += table[p.width + x * p.count + k] * int(from_words[at / 4] >> (8 * (at & 3)) & kMask);
  sums[y * p.to_stride + x] = min(sum >> p.shift, p.most);
}
