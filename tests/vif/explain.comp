// The double operations of VIF by integers, for moments from outside: what shaders/vif/gain.glsl makes of them by bounds where
// they decide, and step by step.
#include "../../shaders/vif/shared.h"

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer In { uint moments[]; };    // three of each sample
layout(std430, binding = 1) writeonly buffer Out { uvec4 explained[]; };

layout(push_constant) uniform Push {
  uint count;
  FixedPoint limit, limit_squared;
} p;

#include "../../shaders/vif/gain.glsl"

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= p.count) return;
  const uint a = moments[3 * i], v = moments[3 * i + 1], x = moments[3 * i + 2];
  const Explained bounded = explain(a, v, x, p.limit, p.limit_squared), exact = explain_exactly(a, v, x, p.limit);
  explained[i] = uvec4(bounded.noise, bounded.all, exact.noise, exact.all);
}
