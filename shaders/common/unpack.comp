// One plane of a picture as a video decoder left it: samples in the low bits of their words, one behind the other.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "unpack.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = kSampleBytesId) const uint kSampleBytes = 1;
layout(constant_id = kStepId) const uint kStep = 1;

layout(std430, binding = 0) readonly buffer Picture { uvec4 picture[]; };
layout(std430, binding = 1) writeonly buffer Plane { uvec4 plane[]; };

layout(push_constant) uniform Push { UnpackPush p; };

// Of two words of pairs, the samples that are the plane's, as one word.
uint chosen(uint low, uint high) {
  if (kSampleBytes == 2) {
    const uint at = p.first * 16;
    return (low >> at & 0xFFFFu) | (high >> at & 0xFFFFu) << 16;
  }
  const uvec2 bytes = uvec2(low, high) >> p.first * 8;
  const uvec2 pairs = (bytes & 0xFFu) | (bytes >> 8 & 0xFF00u);
  return pairs.x | pairs.y << 16;
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  const uint first_sample = x * (16 / kSampleBytes);
  if (first_sample >= p.width || y >= p.height) return;
  uvec4 samples;
  const uint at = p.first_vector + y * p.from_stride + x * kStep;
  if (kStep == 1) {
    samples = picture[at];
  } else {
    const uvec4 a = picture[at], b = picture[at + 1];
    samples = uvec4(chosen(a.x, a.y), chosen(a.z, a.w), chosen(b.x, b.y), chosen(b.z, b.w));
  }
  if (kSampleBytes == 2) samples = samples >> p.shift & (0xFFFFu >> p.shift) * 0x10001u;
  // Behind the last sample of a row a plane has zeros.
  const uint kInWord = 4 / kSampleBytes;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uint word_first = first_sample + i * kInWord;
    const uint valid = p.width > word_first ? min(p.width - word_first, kInWord) : 0;
    if (valid < kInWord) samples[i] &= (1u << valid * (32 / kInWord)) - 1;
  }
  plane[y * p.to_stride + x] = samples;
}
