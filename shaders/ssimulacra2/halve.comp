// halve_rows of feature/ssimulacra2/ssimulacra2.h: light at half the size.
#include "shared.h"

layout(local_size_x = kHalveX, local_size_y = kHalveY) in;

layout(std430, binding = 0) readonly buffer In { float light[]; };
layout(std430, binding = 1) writeonly buffer Out { float halved[]; };

layout(push_constant) uniform Push { HalvePush p; };

void main() {
  const uvec2 place = gl_GlobalInvocationID.xy;
  const uvec2 first = 2 * place;
  if (first.x >= p.width || first.y >= p.height) return;
  const uvec2 second = min(first + 1, uvec2(p.width, p.height) - 1);
  const uint upper = first.y * p.stride, lower = second.y * p.stride;
  precise const float mean = (((light[upper + first.x] + light[upper + second.x]) + light[lower + first.x]) +
                              light[lower + second.x]) *
                             0.25;
  halved[place.y * p.out_stride + place.x] = mean;
}
