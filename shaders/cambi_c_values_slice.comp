// Prepares what the c-values need of the images and the mask of all scales: each sample's level where it is
// masked, the same as bit planes, and the set of levels in each block. One invocation makes a word.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "cambi_shared.h"

layout(local_size_x = kSliceWords * kBlockRows) in;

layout(std430, binding = 0) readonly buffer Geometry { ScaleGeometry scales[kScaleCount]; };
layout(std430, binding = 1) readonly buffer Image0 { uvec4 image0[]; };
layout(std430, binding = 2) readonly buffer Image1 { uvec4 image1[]; };
layout(std430, binding = 3) readonly buffer Image2 { uvec4 image2[]; };
layout(std430, binding = 4) readonly buffer Image3 { uvec4 image3[]; };
layout(std430, binding = 5) readonly buffer Image4 { uvec4 image4[]; };
layout(std430, binding = 6) readonly buffer MaskQuads { uvec4 mask_quads[]; };
layout(std430, binding = 6) readonly buffer MaskWords { uint mask_words[]; };
layout(std430, binding = 7) writeonly buffer Levels { uvec4 levels[]; };
layout(std430, binding = 8) writeonly buffer Planes { uvec4 planes[]; };
layout(std430, binding = 9) writeonly buffer Sets { uint sets[]; };

shared uint present[kSliceWords * kSetWords];

const uint kPairs = kWordSamples / 2;

uvec4 image_quad(uint scale, uint at) {
  switch (scale) {
    case 0: return image0[at];
    case 1: return image1[at];
    case 2: return image2[at];
    case 3: return image3[at];
    default: return image4[at];
  }
}

// One bit for each masked sample of the word, the leftmost lowest.
uint masked_bits(ScaleGeometry scale, uint x, uint y) {
  const uint row = (y << scale.mask_shift) * scale.mask_stride;
  uint bits = 0;
  if (scale.mask_shift == 0) {
    for (uint i = 0; i < 2; ++i) {
      const uvec4 quad = mask_quads[(row + x) / 16 + i];
      [[unroll]] for (uint k = 0; k < 4; ++k) {
        // Gathers the lowest bits of four bytes.
        bits |= ((quad[k] & 0x01010101) * 0x01020408 >> 24 & 0xF) << (16 * i + 4 * k);
      }
    }
  } else {
    for (uint i = 0; i < kWordSamples; ++i) {
      const uint at = row + (min(x + i, scale.width - 1) << scale.mask_shift);
      bits |= (mask_words[at / 4] >> (8 * (at & 3)) & 1) << i;
    }
  }
  const uint count = min(scale.width - x, kWordSamples);
  return count == kWordSamples ? bits : bits & ((1u << count) - 1);
}

void put_level(uint word, uint level, inout uint last) {
  if (level == last || level == kNoLevel) return;
  last = level;
  const uint at = word * kSetWords + level / 32, bit = 1u << (level & 31);
  if ((present[at] & bit) == 0) atomicOr(present[at], bit);
}

// Makes bit k of word b from bit b of word k, in both halves of the words.
void transpose(inout uint a[kPairs]) {
  const uint kMasks[4] = uint[](0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF);
  [[unroll]] for (int step = 3; step >= 0; --step) {
    const uint j = 1u << step;
    [[unroll]] for (uint i = 0; i < kPairs / 2; ++i) {
      const uint k = (i >> step << (step + 1)) | (i & (j - 1));
      const uint t = ((a[k] >> j) ^ a[k + j]) & kMasks[step];
      a[k] ^= t << j;
      a[k + j] ^= t;
    }
  }
}

void main() {
  uint s = 0;
  while (gl_WorkGroupID.x - scales[s].first_slice_group >= scales[s].slice_groups) ++s;
  const ScaleGeometry scale = scales[s];
  const uint group = gl_WorkGroupID.x - scale.first_slice_group;
  const uint column = gl_LocalInvocationIndex % kSliceWords;
  const uint word = group % scale.slice_groups_x * kSliceWords + column;
  const uint block_row = group / scale.slice_groups_x;
  const uint y = block_row * kBlockRows + gl_LocalInvocationIndex / kSliceWords;
  const uint x = word * kWordSamples;
  const bool inside = word < scale.words && y < scale.height;

  for (uint i = gl_LocalInvocationIndex; i < kSliceWords * kSetWords; i += kSliceWords * kBlockRows) present[i] = 0;
  barrier();

  if (inside) {
    uint pairs[kPairs];  // as in memory
    [[unroll]] for (uint i = 0; i < kPairs; ++i) pairs[i] = kNoLevel * 0x10001;
    if (x < scale.width) {
      const uint bits = masked_bits(scale, x, y);
      uint last = kNoLevel;
      [[unroll]] for (uint i = 0; i < 4; ++i) {
        const uvec4 quad = image_quad(s, (y * scale.image_stride + 2 * x) / 16 + i);
        [[unroll]] for (uint k = 0; k < 4; ++k) {
          const uint pair = 4 * i + k;
          const uint low = (bits >> (2 * pair) & 1) != 0 ? quad[k] & 0xFFFF : kNoLevel;
          const uint high = (bits >> (2 * pair + 1) & 1) != 0 ? quad[k] >> 16 : kNoLevel;
          pairs[pair] = low | high << 16;
          put_level(column, low, last);
          put_level(column, high, last);
        }
      }
    }
    const uint at = scale.first_word + y * scale.words + word;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      levels[4 * at + i] = uvec4(pairs[4 * i], pairs[4 * i + 1], pairs[4 * i + 2], pairs[4 * i + 3]);
    }
    // Sample k in the low half beside sample k + 16 in the high one, so that transposing keeps their order.
    uint a[kPairs];
    [[unroll]] for (uint k = 0; k < kPairs / 2; ++k) {
      a[2 * k] = (pairs[k] & 0xFFFF) | pairs[k + 8] << 16;
      a[2 * k + 1] = pairs[k] >> 16 | (pairs[k + 8] & 0xFFFF0000);
    }
    transpose(a);
    [[unroll]] for (uint i = 0; i < kPlaneVectors; ++i) {
      planes[kPlaneVectors * at + i] = uvec4(a[4 * i], a[4 * i + 1], a[4 * i + 2], a[4 * i + 3]);
    }
  }
  barrier();
  const uint first_word = group % scale.slice_groups_x * kSliceWords;
  const uint count = min(scale.words - first_word, kSliceWords) * kSetWords;
  const uint first = (scale.first_block + block_row * scale.words + first_word) * kSetWords;
  for (uint i = gl_LocalInvocationIndex; i < count; i += kSliceWords * kBlockRows) sets[first + i] = present[i];
}
