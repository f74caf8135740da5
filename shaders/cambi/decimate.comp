// decimate_mask of feature/cambi/stages.h, once or several times. One invocation makes four samples of a row.
// The image is decimated where it is filtered, in mode_filter.comp.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;

layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { uint out_words[]; };

layout(push_constant) uniform Push { DecimatePush p; };

void main() {
  const uint x = gl_GlobalInvocationID.x * 4;
  const uint y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  uint result = 0;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uint at = (y << p.shift) * p.in_stride + (min(x + i, p.width - 1) << p.shift);
    result |= (in_words[at >> 2] >> (8 * (at & 3)) & 0xFF) << (8 * i);
  }
  out_words[y * (p.out_stride / 4) + x / 4] = result;
}
