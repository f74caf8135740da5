// The activity, blurred, from the third plane of the finest bands to that of the high ones.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

const int kReach = kActivityReach;
const bool kIsMirrored = false;
#include "tile.glsl"

layout(std430, binding = 2) writeonly buffer High { float high[]; };

void main() {
  const vec4 activity = filtered(2);
  uvec2 place = first_place();
  [[unroll]] for (int i = 0; i < kDown && exists(place); ++i, ++place.y)
    high[2 * p.plane + place.y * p.stride + place.x] = activity[i];
}
