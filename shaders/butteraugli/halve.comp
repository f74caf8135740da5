// halve of feature/butteraugli/stages.h: light at half the size, means of 2 x 2 samples, odd edges doubled.
#include "shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;

layout(std430, binding = 0) readonly buffer Whole { float whole[]; };
layout(std430, binding = 1) writeonly buffer Half { float half_size[]; };

layout(push_constant) uniform Push { HalvePush p; };

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, z = gl_GlobalInvocationID.z;
  if (x >= p.out_width || y >= p.out_height) return;
  const uint left = 2 * x, right = min(left + 1, p.width - 1);
  const uint upper = z * p.plane + 2 * y * p.stride,
             lower = z * p.plane + min(2 * y + 1, p.height - 1) * p.stride;
  precise const float mean =
      ((0.25 * whole[upper + left] + 0.25 * whole[upper + right]) + 0.25 * whole[lower + left]) +
      0.25 * whole[lower + right];
  half_size[z * p.out_plane + y * p.out_stride + x] = mean;
}
