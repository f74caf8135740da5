// Makes a plane as shaders want it of one whose samples lie in another way. One invocation makes kGatherWords
// words.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGatherGroupY) in;
layout(constant_id = 0) const uint kSampleBytes = 1;

layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { uvec4 out_quads[]; };

layout(push_constant) uniform Push { GatherPush p; };

const uint kSamples = 4 / kSampleBytes;  // of a word
const uint kMask = kSampleBytes == 1 ? 0xFF : 0xFFFF;

void main() {
  const uint first = gl_GlobalInvocationID.x * kGatherWords * kSamples;
  const uint y = gl_GlobalInvocationID.y;
  if (first >= p.width || y >= p.height) return;
  uvec4 quad = uvec4(0);
  [[unroll]] for (uint i = 0; i < kGatherWords; ++i) {
    [[unroll]] for (uint k = 0; k < kSamples; ++k) {
      const uint x = first + i * kSamples + k;
      if (x >= p.width) continue;
      const uint at = p.offset + y * p.from_stride + x * p.step;
      const uint bits = in_words[at >> 2] >> (8 * (at & 3));
      quad[i] |= ((bits & kMask) >> p.shift) << (8 * kSampleBytes * k);
    }
  }
  out_quads[y * p.to_stride + gl_GlobalInvocationID.x] = quad;
}
