// mode_filter of feature/cambi/stages.h; if kStep is 2, of the input as decimate_image leaves it. One
// invocation makes kVector samples of kFilterRows rows: the row pass of these and of the rows above and
// below, then the column pass.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kStep = 1;

layout(std430, binding = 0) readonly buffer InQuads { uvec4 in_quads[]; };
layout(std430, binding = 0) readonly buffer InWords { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { uvec4 out_quads[]; };

layout(push_constant) uniform Push { ModeFilterPush p; };

uint mode3(uint a, uint b, uint c) {
  return a == b || a == c ? a : b == c ? b : min(a, min(b, c));
}

uint sample_at(uint row_words, uint x) {
  return in_words[row_words + x / 2] >> (16 * (x & 1)) & 0xFFFF;
}

// The kVector samples from x on of a row, with one on either side; those outside the picture are anything.
void load(uint x, uint y, out uint samples[kVector + 2]) {
  const uint words = y * kStep * (p.in_stride / 4);
  samples[0] = x == 0 ? 0 : sample_at(words, kStep * (x - 1));
  samples[kVector + 1] = sample_at(words, kStep * (x + kVector));
  const uint quad = words / 4 + kStep * x / kVector;
  const uvec4 first = in_quads[quad];
  if (kStep == 1) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      samples[2 * i + 1] = first[i] & 0xFFFF;
      samples[2 * i + 2] = first[i] >> 16;
    }
  } else {
    const uvec4 second = in_quads[quad + 1];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      samples[i + 1] = first[i] & 0xFFFF;
      samples[i + 5] = second[i] & 0xFFFF;
    }
  }
}

void filter_row(uint x, uint samples[kVector + 2], out uint result[kVector]) {
  [[unroll]] for (uint i = 0; i < kVector; ++i) {
    const bool inside = x + i > 0 && x + i + 1 < p.width;
    result[i] = inside ? mode3(samples[i], samples[i + 1], samples[i + 2]) : samples[i + 1];
  }
}

void store(uint x, uint y, uint s[kVector]) {
  out_quads[y * (p.out_stride / 16) + x / kVector] =
      uvec4(s[0] | s[1] << 16, s[2] | s[3] << 16, s[4] | s[5] << 16, s[6] | s[7] << 16);
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kVector;
  const uint y = gl_GlobalInvocationID.y * kFilterRows;
  if (x >= p.width || y >= p.height) return;

  uint samples[kVector + 2], above[kVector], row[kVector], below[kVector];
  load(x, y == 0 ? 0 : y - 1, samples);
  filter_row(x, samples, above);
  uint own[kVector + 2];
  load(x, y, own);
  filter_row(x, own, row);
  [[unroll]] for (uint k = 0; k < kFilterRows; ++k) {
    if (y + k >= p.height) return;
    load(x, min(y + k + 1, p.height - 1), samples);
    filter_row(x, samples, below);
    uint result[kVector];
    const bool keeps = y + k == 0 || y + k + 1 >= p.height;
    [[unroll]] for (uint i = 0; i < kVector; ++i) {
      result[i] = keeps ? own[i + 1] : mode3(above[i], row[i], below[i]);
    }
    store(x, y + k, result);
    above = row;
    row = below;
    own = samples;
  }
}
