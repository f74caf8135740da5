// filter_columns of feature/butteraugli/stages.h for the activity, which stays in the third plane of its
// buffer.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

#include "columns.glsl"

layout(std430, binding = 2) writeonly buffer High { float high[]; };

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  high[2 * p.plane + y * p.stride + x] = filtered_column(0, x, y);
}
