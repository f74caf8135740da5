// A plane of Y'CbCr of R, G and B; see feature/fitting/fitting.h.
#include "shared.h"
#include "../common/wide.glsl"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer Green { uint green_words[]; };
layout(std430, binding = 1) readonly buffer Blue { uint blue_words[]; };
layout(std430, binding = 2) readonly buffer Red { uint red_words[]; };
layout(std430, binding = 3) writeonly buffer To { uint to_words[]; };

layout(push_constant) uniform Push { RgbPush p; };

const uint kSamples = 4 / kBytes;  // of a word
const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;

// Beyond an edge, those of the edge.
uvec3 rgb_at(int x, int y) {
  const uint column = uint(clamp(x, 0, int(p.from_width) - 1));
  const uint row = uint(clamp(y, 0, int(p.from_height) - 1));
  const uint at = row * p.from_stride + column * kBytes;
  return uvec3(red_words[at / 4], green_words[at / 4], blue_words[at / 4]) >> (8 * (at & 3)) & kMask;
}

uint mixed_at(uint x, uint y) {
  const int column = int(x << p.halvings_x), row = int((y << p.halvings_y) + p.first_row);
  uvec3 sum = uvec3(0);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const uint weight = p.across[i] * p.down[j];
      if (weight != 0) sum += weight * rgb_at(column + i - 1, row + j - 1);
    }
  }
  Wide value = Wide(p.offset_low, p.offset_high);
  value = wide_sum(value, wide_signed_product(p.red, int(sum.r)));
  value = wide_sum(value, wide_signed_product(p.green, int(sum.g)));
  value = wide_sum(value, wide_signed_product(p.blue, int(sum.b)));
  return wide_signed_shift(value, p.shift).low & kMask;
}

void main() {
  const uint x = gl_GlobalInvocationID.x * kSamples, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  uint word = 0;
  for (uint i = 0; i < kSamples; ++i) {
    if (x + i < p.width) word |= mixed_at(x + i, y) << (8 * kBytes * i);
  }
  to_words[y * p.to_stride / 4 + gl_GlobalInvocationID.x] = word;
}
