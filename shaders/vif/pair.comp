// Brings the planes of both videos to one depth and together in words; see shared.h. Tells whether there is a
// sample that a video of its depth cannot have.
#include "shared.h"

layout(local_size_x = kPairGroupX, local_size_y = kPairGroupY) in;
layout(constant_id = 0) const uint kReferenceBytes = 1;
layout(constant_id = 1) const uint kDistortedBytes = 1;
layout(constant_id = 2) const uint kReferenceShift = 0;
layout(constant_id = 3) const uint kDistortedShift = 0;
layout(constant_id = 4) const uint kBeyondReference = 0;
layout(constant_id = 5) const uint kBeyondDistorted = 0;

// A vector of 8-bit samples is a pair of words, one of 16-bit samples a quad.
layout(std430, binding = 0) readonly buffer ReferencePairs { uvec2 reference_pairs[]; };
layout(std430, binding = 0) readonly buffer ReferenceQuads { uvec4 reference_quads[]; };
layout(std430, binding = 1) readonly buffer DistortedPairs { uvec2 distorted_pairs[]; };
layout(std430, binding = 1) readonly buffer DistortedQuads { uvec4 distorted_quads[]; };
layout(std430, binding = 2) writeonly buffer Out { uvec4 out_quads[]; };
layout(std430, binding = 3) buffer Beyond { uint is_beyond; };  // 0 before

layout(push_constant) uniform Push { PairPush p; };

// Two 16-bit samples a word.
uvec4 words_of(uvec2 pair) {
  const uvec4 both = uvec4(pair.x, pair.x >> 16, pair.y, pair.y >> 16);
  return (both & 0xFF) | (both & 0xFF00) << 8;
}

uvec4 load_reference(uint x, uint y) {
  const uint at = (y * p.reference_stride + x * kReferenceBytes) / (kVector * kReferenceBytes);
  return kReferenceBytes == 1 ? words_of(reference_pairs[at]) : reference_quads[at];
}
uvec4 load_distorted(uint x, uint y) {
  const uint at = (y * p.distorted_stride + x * kDistortedBytes) / (kVector * kDistortedBytes);
  return kDistortedBytes == 1 ? words_of(distorted_pairs[at]) : distorted_quads[at];
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kVector, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uvec4 r = load_reference(x, y), d = load_distorted(x, y);
  uint result[kVector];
  uint beyond = 0;
  [[unroll]] for (uint k = 0; k < kVector; ++k) {
    const uint shift = 16 * (k & 1);
    const uint reference = r[k / 2] >> shift & 0xFFFF, distorted = d[k / 2] >> shift & 0xFFFF;
    if (x + k < p.width) beyond |= (reference & kBeyondReference) | (distorted & kBeyondDistorted);
    result[k] = (reference << kReferenceShift & 0xFFFF) | distorted << kDistortedShift << 16;
  }
  const uint at = (y * p.pitch + x) / 4;
  out_quads[at] = uvec4(result[0], result[1], result[2], result[3]);
  out_quads[at + 1] = uvec4(result[4], result[5], result[6], result[7]);
  if (beyond != 0) atomicOr(is_beyond, 1);
}
