// gradients and changes of feature/siti/siti.h in one: their sums, those of a tile for each work group.
#include "../common/root.glsl"
#include "../common/wide.glsl"
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer Now { uint now_words[]; };
layout(std430, binding = 1) readonly buffer Before { uint before_words[]; };
layout(std430, binding = 2) readonly buffer Table { uint table[]; };
layout(std430, binding = 3) writeonly buffer Sums { uint sums[]; };

layout(push_constant) uniform Push { SumsPush p; };

shared uint group_words[kGroupWords];

const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;

int value_of(uint word, uint at) {
  return int(table[min(word >> (8 * (at & 3)) & kMask, p.top)]);
}
// Columns outside the picture are those at its border; what is made of them is not used.
int now(uint x, uint y) {
  const uint at = y * p.stride_now + min(x, p.width - 1) * kBytes;
  return value_of(now_words[at / 4], at);
}
int before(uint x, uint y) {
  const uint at = y * p.stride_before + x * kBytes;
  return value_of(before_words[at / 4], at);
}
ivec3 row_of(uint x, uint y) {
  return ivec3(now(max(x, 1) - 1, y), now(x, y), now(x + 1, y));
}

// The root of gx^2 + gy^2, times 2^shift, rounded.
uint gradient(ivec3 a, ivec3 b, ivec3 c) {
  const uint gx = uint(abs(a.x - a.z + 2 * (b.x - b.z) + c.x - c.z));
  const uint gy = uint(abs(a.x + 2 * a.y + a.z - c.x - 2 * c.y - c.z));
  const Wide square = wide_left_shift(wide_sum(wide_product(gx, gx), wide_product(gy, gy)), 2 * p.shift);
  const float estimate = float(square.high) * 4294967296.0 + float(square.low);
  return rounded_root(square.low, uint(sqrt(estimate)));
}

void main() {
  if (gl_LocalInvocationIndex < kGroupWords) group_words[gl_LocalInvocationIndex] = 0;
  barrier();
  const uint x = gl_GlobalInvocationID.x, first = gl_GlobalInvocationID.y * kRows;
  if (x < p.width && first < p.height) {
    uint held[kGroupWords];
    [[unroll]] for (uint i = 0; i < kGroupWords; ++i) held[i] = 0;
    ivec3 above = row_of(x, max(first, 1) - 1), here = row_of(x, first);
    for (uint y = first; y < min(first + kRows, p.height); ++y) {
      const ivec3 below = row_of(x, min(y + 1, p.height - 1));
      if (x > 0 && x + 1 < p.width && y > 0 && y + 1 < p.height) {
        const uint g = gradient(above, here, below);
        const Wide square = wide_product(g, g);
        held[kGradientWord] += g & 0xFFFF;
        held[kGradientWord + 1] += g >> 16;
        held[kSquareWord] += square.low & 0xFFFF;
        held[kSquareWord + 1] += square.low >> 16;
        held[kSquareWord + 2] += square.high;
      }
      const int change = here.y - before(x, y);
      held[kChangeWord] += uint(change);
      held[kSquaredChangeWord] += uint(change * change) & 0xFFFF;
      held[kSquaredChangeWord + 1] += uint(change * change) >> 16;
      above = here;
      here = below;
    }
    [[unroll]] for (uint i = 0; i < kGroupWords; ++i) atomicAdd(group_words[i], held[i]);
  }
  barrier();
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (gl_LocalInvocationIndex < kGroupWords)
    sums[group * kGroupWords + gl_LocalInvocationIndex] = group_words[gl_LocalInvocationIndex];
}
