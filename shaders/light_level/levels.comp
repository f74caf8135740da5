// levels of feature/light_level/light_level.h, and what is counted of them: see feature/light/amounts.h.
#include "../light/shared.h"

layout(local_size_x = kAmountsX, local_size_y = kAmountsY) in;

layout(std430, binding = 0) readonly buffer Red { float red[]; };
layout(std430, binding = 1) readonly buffer Green { float green[]; };
layout(std430, binding = 2) readonly buffer Blue { float blue[]; };
layout(std430, binding = 3) buffer Counts { uint counts[]; };

layout(push_constant) uniform Push { AmountsPush p; };

const uint kGroupWords = kAmountWords;
#include "../light/amounts.glsl"

void main() {
  start_amounts();
  const uint x = gl_GlobalInvocationID.x, first = gl_GlobalInvocationID.y * kAmountRows;
  for (uint y = first; y < min(first + kAmountRows, p.height); ++y) {
    if (x >= p.width) break;
    const uint at = y * p.stride + x;
    precise const float most_light = max(max(max(red[at], green[at]), blue[at]), 0.0);
    add_amount(most_light, p.factor);
  }
  finish_amounts();
}
