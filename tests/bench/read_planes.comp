// The yardstick for shaders/histogram/count_rgb.comp: reads the same planes in the same way and does next to nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../../shaders/histogram/shared.h"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 5) const uint kRowsEach = kRows;
layout(std430, binding = 3) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { CountRgbPush p; };

void count(uint place, uint channel, uint value) {}
void count_vector(uint number) {}

#include "../../shaders/histogram/rgb.glsl"

void main() {
  const uint x = gl_GlobalInvocationID.x * kVector;
  const uint first_row = gl_WorkGroupID.y * kGroupY * kRowsEach + gl_LocalInvocationID.y;
  if (x >= p.width) return;
  uvec4 all = uvec4(0);
  for (uint y = first_row; y < min(first_row + kGroupY * kRowsEach, p.height); y += kGroupY) {
    const Vectors v = load(x, y);
    all ^= v.luma ^ (v.cb + v.cr);
  }
  // So seldom that it costs nothing, and often enough that nothing can be left out.
  if (all == uvec4(0x9E3779B9)) counts[0] = all.x;
}
