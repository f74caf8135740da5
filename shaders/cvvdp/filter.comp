// filter_row of feature/cvvdp/cvvdp.h: what up to seven frames add to the filtered channels. All floats are
// `precise`: nothing is contracted, and sums and products are rounded to nearest (ADR 0068).
#include "shared.h"

layout(local_size_x = kSamplesX, local_size_y = kSamplesY) in;

layout(std430, binding = 0) readonly buffer Old0 { float old_0[]; };
layout(std430, binding = 1) readonly buffer New0 { float new_0[]; };
layout(std430, binding = 2) readonly buffer Old1 { float old_1[]; };
layout(std430, binding = 3) readonly buffer New1 { float new_1[]; };
layout(std430, binding = 4) readonly buffer Old2 { float old_2[]; };
layout(std430, binding = 5) readonly buffer New2 { float new_2[]; };
layout(std430, binding = 6) readonly buffer Middle { float middle[]; };
layout(std430, binding = 7) buffer Filtered { vec4 filtered[]; };

layout(push_constant) uniform Push { FilterPush p; };

vec4 add(vec4 sum, bool is_first, uint which, vec3 light) {
  precise const vec4 terms = p.taps[which] * vec4(light, light.x);
  precise const vec4 added = sum + terms;
  return is_first ? terms : added;
}

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint plane = p.width * p.height, at = y * p.width + x, b = plane + at, c = b + plane;
  vec4 sum = p.is_first == 0 ? filtered[at] : vec4(0);
  if (p.pairs > 0) {
    precise const vec3 pair =
        vec3(old_0[at], old_0[b], old_0[c]) + vec3(new_0[at], new_0[b], new_0[c]);
    sum = add(sum, p.is_first != 0, 0, pair);
  }
  if (p.pairs > 1) {
    precise const vec3 pair =
        vec3(old_1[at], old_1[b], old_1[c]) + vec3(new_1[at], new_1[b], new_1[c]);
    sum = add(sum, false, 1, pair);
  }
  if (p.pairs > 2) {
    precise const vec3 pair =
        vec3(old_2[at], old_2[b], old_2[c]) + vec3(new_2[at], new_2[b], new_2[c]);
    sum = add(sum, false, 2, pair);
  }
  if (p.has_middle != 0) {
    const bool is_first = p.is_first != 0 && p.pairs == 0;
    sum = add(sum, is_first, kFilterPairs, vec3(middle[at], middle[b], middle[c]));
  }
  filtered[at] = sum;
}
