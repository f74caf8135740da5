// preprocess of feature/cambi/stages.h: makes the 10-bit picture at the encode size. One invocation makes
// kVector samples of a row.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kSampleBytes = 1;
layout(constant_id = 1) const uint kDepth = 8;
layout(constant_id = 2) const bool kResize = false;
layout(constant_id = 3) const bool kAntiDither = false;

layout(std430, binding = 0) readonly buffer InWords { uint in_words[]; };
layout(std430, binding = 0) readonly buffer InPairs { uvec2 in_pairs[]; };
layout(std430, binding = 0) readonly buffer InQuads { uvec4 in_quads[]; };
// The plan's source columns, then its source rows. Nothing is read without resizing.
layout(std430, binding = 1) readonly buffer Table { uint source_table[]; };
layout(std430, binding = 2) writeonly buffer Out { uvec4 out_quads[]; };
// Not 0 if a sample exceeds the depth's maximum.
layout(std430, binding = 3) buffer Excess { uint excess; };

layout(push_constant) uniform Push { PreprocessPush p; };

uint ten_bits(uint v) {
  if (kDepth < 10) return v << (10 - kDepth);
  if (kDepth == 10) return v;
  return (v + (1 << (kDepth - 11))) >> (kDepth - 10);
}

// Every bit that a sample within its depth may not have, in both halves of a word.
const uint kForbidden = kSampleBytes == 1 || kDepth == 16 ? 0 : ((0xFFFF << kDepth) & 0xFFFF) * 0x10001;

uint gathered(uint x, uint y) {
  const uint column = source_table[min(x, p.width - 1)];
  const uint at = source_table[p.width + y] * p.in_stride + column * kSampleBytes;
  const uint bits = in_words[at >> 2] >> (8 * (at & 3));
  return bits & (kSampleBytes == 1 ? 0xFF : 0xFFFF);
}

// Which bits of the word that holds the samples from x on are of samples, if those are words of 16 bits.
uint inside(uint x, uint width) {
  return x + 1 < width ? 0xFFFFFFFF : x < width ? 0xFFFF : 0;
}

// The kVector samples from x on and the one after them, at the encode size, as 10 bits. Returns all raw words
// in one, for the check of the depth.
uint load(uint x, uint y, out uint samples[kVector + 1]) {
  uint seen = 0;
  if (kResize) {
    [[unroll]] for (uint i = 0; i <= kVector; ++i) samples[i] = gathered(x + i, y);
  } else if (kSampleBytes == 1) {
    const uint at = y * (p.in_stride / kVector) + x / kVector;
    const uvec2 pair = in_pairs[at];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      samples[i] = bitfieldExtract(pair.x, int(8 * i), 8);
      samples[i + 4] = bitfieldExtract(pair.y, int(8 * i), 8);
    }
    samples[kVector] = kAntiDither ? in_words[2 * at + 2] & 0xFF : 0;
  } else {
    const uint at = y * (p.in_stride / (2 * kVector)) + x / kVector;
    const uvec4 quad = in_quads[at];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      samples[2 * i] = quad[i] & 0xFFFF;
      samples[2 * i + 1] = quad[i] >> 16;
    }
    samples[kVector] = kAntiDither ? in_words[4 * at + 4] & 0xFFFF : 0;
    [[unroll]] for (uint i = 0; i < 4; ++i) seen |= quad[i] & inside(x + 2 * i, p.width);
  }
  [[unroll]] for (uint i = 0; i <= kVector; ++i) samples[i] = ten_bits(samples[i]);
  return seen;
}

// All samples are checked, including those that resizing skips: each invocation reads an equal share.
uint all_bits_of_share() {
  const uint count = gl_NumWorkGroups.x * gl_NumWorkGroups.y * kGroupX * kGroupY;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint row_words = (p.in_width + 1) / 2;
  uint seen = 0;
  for (uint i = group * kGroupX * kGroupY + gl_LocalInvocationIndex; i < row_words * p.in_height;
       i += count) {
    const uint x = i % row_words;
    seen |= in_words[i / row_words * (p.in_stride / 4) + x] & inside(2 * x, p.in_width);
  }
  return seen;
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kVector;
  const uint y = gl_GlobalInvocationID.y;
  if (kForbidden != 0 && kResize && (all_bits_of_share() & kForbidden) != 0) atomicOr(excess, 1);
  if (x >= p.width || y >= p.height) return;

  uint a[kVector + 1];
  const uint seen = load(x, y, a);
  if (kForbidden != 0 && (seen & kForbidden) != 0) atomicOr(excess, 1);

  if (kAntiDither) {
    uint b[kVector + 1];
    load(x, min(y + 1, p.height - 1), b);
    [[unroll]] for (uint i = 0; i < kVector; ++i) {
      // A neighbour outside stands for the sample itself: (2a + 2b) >> 2 is (a + b) >> 1.
      const uint right = x + i + 1 < p.width ? a[i + 1] : a[i];
      const uint below_right = x + i + 1 < p.width ? b[i + 1] : b[i];
      a[i] = (a[i] + right + b[i] + below_right) >> 2;
    }
  }
  out_quads[y * (p.out_stride / 16) + x / kVector] =
      uvec4(a[0] | a[1] << 16, a[2] | a[3] << 16, a[4] | a[5] << 16, a[6] | a[7] << 16);
}
