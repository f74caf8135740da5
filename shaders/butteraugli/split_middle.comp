// split_middle of feature/butteraugli/stages.h: the middle band, and what is left of X and Y.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

const int kReach = kMiddleReach;
const bool kIsMirrored = false;
#include "tile.glsl"
#include "limits.glsl"

layout(std430, binding = 2) writeonly buffer Middle { float middle[]; };
layout(std430, binding = 3) writeonly buffer High { float high[]; };

void main() {
  const vec4 all_x = filtered(0), all_y = filtered(1), all_b = filtered(2);
  uvec2 place = first_place();
  [[unroll]] for (int i = 0; i < kDown && exists(place); ++i, ++place.y) {
    const uint at_x = place.y * p.stride + place.x, at_y = at_x + p.plane, at_b = at_y + p.plane;
    precise const float left_x = samples[at_x] - all_x[i], left_y = samples[at_y] - all_y[i];
    const float high_y = settled(left_y);
    precise const float squared = high_y * high_y + kSuppression;
    precise const float suppression = kSuppression * reciprocal(squared);
    precise const float high_x = (suppression * kSuppressed + kUnsuppressed) * settled(left_x);
    high[at_x] = high_x;
    high[at_y] = high_y;
    middle[at_x] = without(all_x[i], kRemoveMiddleX);
    middle[at_y] = amplified(all_y[i], kAmplifyMiddleY);
    middle[at_b] = all_b[i];
  }
}
