// New values of samples by a table; see core/fitting.h.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kFromBytes = 1;
layout(constant_id = 1) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer From { uint from_words[]; };
layout(std430, binding = 1) readonly buffer Table { uint levels[]; };
layout(std430, binding = 2) writeonly buffer To { uint to_words[]; };

layout(push_constant) uniform Push { LevelsPush p; };

const uint kSamples = 4 / kBytes;  // of a word
const uint kFromMask = kFromBytes == 1 ? 0xFF : 0xFFFF, kMask = kBytes == 1 ? 0xFF : 0xFFFF;

void main() {
  const uint x = gl_GlobalInvocationID.x * kSamples, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  uint word = 0;
  [[unroll]] for (uint i = 0; i < kSamples; ++i) {
    if (x + i >= p.width) continue;
    const uint at = y * p.from_stride + (x + i) * kFromBytes;
    word |= (levels[from_words[at / 4] >> (8 * (at & 3)) & kFromMask] & kMask) << (8 * kBytes * i);
  }
  to_words[y * p.to_stride / 4 + gl_GlobalInvocationID.x] = word;
}
