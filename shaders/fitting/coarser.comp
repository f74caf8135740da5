// Coarser chroma: the mean of the samples around its place; see core/fitting.h.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer From { uint from_words[]; };
layout(std430, binding = 1) writeonly buffer To { uint to_words[]; };

layout(push_constant) uniform Push { CoarserPush p; };

const uint kSamples = 4 / kBytes;  // of a word
const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;

// Beyond an edge, that of the edge.
uint sample_at(int x, int y) {
  const uint column = uint(clamp(x, 0, int(p.from_width) - 1));
  const uint row = uint(clamp(y, 0, int(p.from_height) - 1));
  const uint at = row * p.from_stride + column * kBytes;
  return from_words[at / 4] >> (8 * (at & 3)) & kMask;
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kSamples, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const int row = int((y << p.halvings_y) + p.first_row);
  uint word = 0;
  [[unroll]] for (uint i = 0; i < kSamples; ++i) {
    if (x + i >= p.width) continue;
    const int column = int((x + i) << p.halvings_x);
    uint sum = (1u << p.shift) / 2;
    for (int k = 0; k < 3; ++k) {
      const uint above = p.down[0] * sample_at(column + k - 1, row - 1);
      const uint own = p.down[1] * sample_at(column + k - 1, row);
      const uint below = p.down[2] * sample_at(column + k - 1, row + 1);
      sum += p.across[k] * (above + own + below);
    }
    word |= (sum >> p.shift) << (8 * kBytes * i);
  }
  to_words[y * p.to_stride / 4 + gl_GlobalInvocationID.x] = word;
}
