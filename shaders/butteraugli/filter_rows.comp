// filter_row of feature/butteraugli/stages.h: a work group loads a part of a row and what lies around it, and
// filters it.
#include "shared.h"
#include "arithmetic.glsl"

layout(local_size_x = kRowGroup) in;
layout(constant_id = 0) const uint kReach = 16;
layout(constant_id = 1) const bool kIsMirrored = false;

layout(std430, binding = 0) readonly buffer Table { float table[]; };
layout(std430, binding = 1) readonly buffer In { float rows[]; };
layout(std430, binding = 2) writeonly buffer Across { float across[]; };

layout(push_constant) uniform Push { FilterRowsPush p; };

shared float part[kRowGroup + 2 * kTableTaps];

float row_at(uint row, int x) {
  const int width = int(p.width);
  if (kIsMirrored) x = x < 0 ? -1 - x : x < width ? x : max(2 * width - 1 - x, 0);
  return 0 <= x && x < width ? rows[row + uint(x)] : 0.0;
}

void main() {
  const uint i = gl_LocalInvocationIndex, x = gl_GlobalInvocationID.x, y = gl_WorkGroupID.y,
             z = gl_WorkGroupID.z;
  const uint row = (p.first_plane + z) * p.plane + y * p.stride;
  for (uint k = i; k < kRowGroup + 2 * kReach; k += kRowGroup)
    part[k] = row_at(row, int(gl_WorkGroupID.x * kRowGroup + k) - int(kReach));
  barrier();
  if (x >= p.width) return;
  precise float sum = 0;
  for (uint k = kReach; k > 0; --k) sum = sum + table[k] * (part[i + kReach - k] + part[i + kReach + k]);
  precise const float result = (sum + table[0] * part[i + kReach]) * table[kTableTaps + x];
  across[(p.first_out_plane + z) * p.plane + y * p.stride + x] = settled(result);
}
