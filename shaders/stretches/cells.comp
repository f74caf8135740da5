// row_sum of feature/stretches/stretches.h, summed up over cells, one for each work group.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kBytes = 1;

layout(std430, binding = 0) readonly buffer Luma { uint luma_words[]; };
layout(std430, binding = 1) readonly buffer Table { uint table[]; };
layout(std430, binding = 2) writeonly buffer Sums { uint sums[]; };

layout(push_constant) uniform Push { CellsPush p; };

shared uint cell_words[kCellWords];

const uint kMask = kBytes == 1 ? 0xFF : 0xFFFF;

void main() {
  if (gl_LocalInvocationIndex < kCellWords) cell_words[gl_LocalInvocationIndex] = 0;
  barrier();
  const uvec2 cells = uvec2(kCellColumns, kCellRows), size = uvec2(p.width, p.height);
  const uvec2 first = gl_WorkGroupID.xy * size / cells, end = (gl_WorkGroupID.xy + 1) * size / cells;
  uint low = 0, middle = 0, high = 0, black = 0;
  for (uint y = first.y + gl_LocalInvocationID.y; y < end.y; y += kGroupY) {
    for (uint x = first.x + gl_LocalInvocationID.x; x < end.x; x += kGroupX) {
      const uint at = y * p.stride + x * kBytes;
      const uint code = min(luma_words[at / 4] >> (8 * (at & 3)) & kMask, p.top), luminance = table[code];
      low += luminance & 0xFF;
      middle += luminance >> 8 & 0xFF;
      high += luminance >> 16;
      black += uint(code <= p.black);
    }
  }
  atomicAdd(cell_words[0], low);
  atomicAdd(cell_words[1], middle);
  atomicAdd(cell_words[2], high);
  atomicAdd(cell_words[3], black);
  barrier();
  const uint cell = gl_WorkGroupID.y * kCellColumns + gl_WorkGroupID.x;
  if (gl_LocalInvocationIndex < kCellWords)
    sums[cell * kCellWords + gl_LocalInvocationIndex] = cell_words[gl_LocalInvocationIndex];
}
