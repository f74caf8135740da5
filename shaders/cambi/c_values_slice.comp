// Prepares what c_values needs of the images and the mask of all scales: each sample's level where it is
// masked, the same as bit planes, and the set of levels in each block. One invocation makes a word.
#include "shared.h"

layout(local_size_x = kSliceWords * kBlockRows) in;
layout(constant_id = 0) const uint kParts = 1;

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

layout(push_constant) uniform Push { GroupPush p; };

const uint kPairs = kWordSamples / 2;
const uint kThreads = kSliceWords * kBlockRows;
const uint kLevelVectors = kPairs / 4;  // four words, of a word's levels
const uint kStageStride = kPairs + 1;   // spreads invocations over memory banks

shared uint present[kSliceWords * kSetWords];
// Values that the invocations of a part write together, in the order of memory.
const uint kPartThreads = kThreads / kParts;
shared uint stage[kPartThreads * kStageStride];

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
  return count == kWordSamples ? bits : bits & ((1u << (count & 31)) - 1);
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

// Adds the levels of the masked samples, one after another, to the set of the word's column.
void collect_levels(uint column, uint masked, uint a[kPairs]) {
  while (masked != 0) {
    const int sample_number = findLSB(masked);
    uint level = 0, same = masked;
    [[unroll]] for (uint k = 0; k < kLevelBits; ++k) {
      const uint bit = a[k] >> sample_number & 1;
      level |= bit << k;
      same &= a[k] ^ (bit - 1);
    }
    masked &= ~same;
    const uint at = column * kSetWords + level / 32, bit = 1u << (level & 31);
    if ((present[at] & bit) == 0) atomicOr(present[at], bit);
  }
}

// The samples of a word, two to an element, those that are not masked as kNoLevel.
void load_pairs(uint scale_number, uint quad, uint masked, out uint pairs[kPairs]) {
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uvec4 loaded = image_quad(scale_number, quad + i);
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      const uint pair = 4 * i + k;
      const uint low = (masked >> (2 * pair) & 1) != 0 ? loaded[k] & 0xFFFF : kNoLevel;
      const uint high = (masked >> (2 * pair + 1) & 1) != 0 ? loaded[k] >> 16 : kNoLevel;
      pairs[pair] = low | high << 16;
    }
  }
}

void stage_words(uint part, uint words[kPairs]) {
  if (kParts > 1 && gl_LocalInvocationIndex / kPartThreads != part) return;
  const uint first = gl_LocalInvocationIndex % kPartThreads * kStageStride;
  [[unroll]] for (uint i = 0; i < kPairs; ++i) stage[first + i] = words[i];
}

// By an invocation's number in its part.
uvec4 staged(uint invocation, uint quad) {
  const uint at = invocation * kStageStride + 4 * quad;
  return uvec4(stage[at], stage[at + 1], stage[at + 2], stage[at + 3]);
}

// A slice: which words a work group makes.
struct Slice {
  uint scale_number;
  ScaleGeometry scale;
  uint word, block_row;  // the first
};

Slice find_slice() {
  const uint number = p.first_group + gl_WorkGroupID.x;
  uint s = 0;
  while (number - scales[s].first_slice_group >= scales[s].slice_groups) ++s;
  const uint group = number - scales[s].first_slice_group;
  return Slice(s, scales[s], group % scales[s].slice_groups_x * kSliceWords,
               group / scales[s].slice_groups_x);
}

// Where the word of an invocation goes, or kNoWord for one outside.
const uint kNoWord = 0xFFFFFFFF;
uint place_of(Slice slice, uint invocation) {
  const uint word = slice.word + invocation % kSliceWords;
  const uint y = slice.block_row * kBlockRows + invocation / kSliceWords;
  if (word >= slice.scale.words || y >= slice.scale.height) return kNoWord;
  return slice.scale.first_word + y * slice.scale.words + word;
}

void write_levels(Slice slice, uint pairs[kPairs]) {
  [[unroll]] for (uint part = 0; part < kParts; ++part) {
    if (part > 0) barrier();
    stage_words(part, pairs);
    barrier();
    [[unroll]] for (uint i = 0; i < kLevelVectors / kParts; ++i) {
      const uint at = i * kThreads + gl_LocalInvocationIndex;
      const uint invocation = at / kLevelVectors, vector = at % kLevelVectors;
      const uint place = place_of(slice, part * kPartThreads + invocation);
      if (place != kNoWord) levels[kLevelVectors * place + vector] = staged(invocation, vector);
    }
  }
}

void write_planes(Slice slice, uint bit_planes[kPairs]) {
  [[unroll]] for (uint part = 0; part < kParts; ++part) {
    barrier();
    stage_words(part, bit_planes);
    barrier();
    [[unroll]] for (uint i = 0; i < (kPlaneVectors + kParts - 1) / kParts; ++i) {
      const uint at = i * kThreads + gl_LocalInvocationIndex;
      const uint invocation = at / kPlaneVectors, vector = at % kPlaneVectors;
      if (kPlaneVectors % kParts != 0 && invocation >= kPartThreads) continue;
      const uint place = place_of(slice, part * kPartThreads + invocation);
      if (place != kNoWord) planes[kPlaneVectors * place + vector] = staged(invocation, vector);
    }
  }
}

void main() {
  const Slice slice = find_slice();
  const uint lane = gl_LocalInvocationIndex;
  for (uint i = lane; i < kSliceWords * kSetWords; i += kThreads) present[i] = 0;

  const uint column = lane % kSliceWords;
  const uint x = (slice.word + column) * kWordSamples, y = slice.block_row * kBlockRows + lane / kSliceWords;
  uint masked = 0;
  uint pairs[kPairs];
  [[unroll]] for (uint i = 0; i < kPairs; ++i) pairs[i] = kNoLevel * 0x10001;
  if (x < slice.scale.width && y < slice.scale.height) {
    masked = masked_bits(slice.scale, x, y);
    load_pairs(slice.scale_number, (y * slice.scale.image_stride + 2 * x) / 16, masked, pairs);
  }
  write_levels(slice, pairs);

  // Sample k in the low half beside sample k + 16 in the high one, so that transposing keeps their order.
  uint a[kPairs];
  [[unroll]] for (uint k = 0; k < kPairs / 2; ++k) {
    a[2 * k] = (pairs[k] & 0xFFFF) | pairs[k + 8] << 16;
    a[2 * k + 1] = pairs[k] >> 16 | (pairs[k + 8] & 0xFFFF0000);
  }
  transpose(a);
  collect_levels(column, masked, a);
  write_planes(slice, a);
  const uint count = min(slice.scale.words - slice.word, kSliceWords) * kSetWords;
  const uint first = (slice.scale.first_block + slice.block_row * slice.scale.words + slice.word) * kSetWords;
  for (uint i = lane; i < count; i += kThreads) sets[first + i] = present[i];
}
