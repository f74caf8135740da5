// active_area of feature/active_area.h: finds the first and the last lit row and column from the counts. A
// single work group reads all of them.
#include "shared.h"

layout(local_size_x = kAreaGroup) in;

// For all rows, then for all columns.
layout(std430, binding = 0) readonly buffer Counts { uint counts[]; };
layout(std430, binding = 1) writeonly buffer Found { Area area; };

layout(push_constant) uniform Push { ActiveAreaPush p; };

shared uint left, top, right, bottom;

void main() {
  if (gl_LocalInvocationIndex == 0) {
    left = p.width;
    top = p.height;
    right = bottom = 0;
  }
  barrier();
  for (uint y = gl_LocalInvocationIndex; y < p.height; y += kAreaGroup) {
    if (counts[y] <= p.row_limit) continue;
    atomicMin(top, y);
    atomicMax(bottom, y + 1);
  }
  for (uint x = gl_LocalInvocationIndex; x < p.width; x += kAreaGroup) {
    if (counts[p.height + x] <= p.column_limit) continue;
    atomicMin(left, x);
    atomicMax(right, x + 1);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0) area = Area(right > 0 ? left : 0, bottom > 0 ? top : 0, right, bottom);
}
