// split_high and activity of feature/butteraugli/stages.h: the high bands, the finest ones, and how much goes
// on in them.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

const int kReach = kHighReach;
const bool kIsMirrored = false;
#include "tile.glsl"
#include "limits.glsl"

layout(std430, binding = 2) writeonly buffer High { float high[]; };
// And in the third plane the activity.
layout(std430, binding = 3) writeonly buffer Finest { float finest[]; };

float activity(float high_x, float high_y, float finest_x, float finest_y) {
  precise const float scaled_x = (finest_x + high_x) * kActivityX;
  precise const float scaled_y = finest_y * kActivityY + high_y * kActivityY;
  const float x = settled(scaled_x), y = settled(scaled_y);
  precise const float squares = x * x + y * y;
  precise const float biased = kActivityFactor * root(squares) + kActivityBias;
  precise const float result = root(biased) - kActivityRoot;
  return result;
}

void main() {
  const vec4 all_x = filtered(0), all_y = filtered(1);
  uvec2 place = first_place();
  [[unroll]] for (int i = 0; i < kDown && exists(place); ++i, ++place.y) {
    const uint at_x = place.y * p.stride + place.x, at_y = at_x + p.plane;
    const float clamped_y = clamped(all_y[i], kClampHighY);
    precise const float left_x = samples[at_x] - all_x[i], left_y = samples[at_y] - clamped_y;
    precise const float raised_y = clamped_y * kHighFactorY;
    precise const float finest_y = clamped(settled(left_y), kClampFinestY) * kFinestFactorY;
    const float finest_x = without(left_x, kRemoveFinestX), high_x = without(all_x[i], kRemoveHighX);
    const float high_y = amplified(raised_y, kAmplifyHighY);
    finest[at_x] = finest_x;
    finest[at_y] = finest_y;
    finest[at_y + p.plane] = activity(high_x, high_y, finest_x, finest_y);
    high[at_x] = high_x;
    high[at_y] = high_y;
  }
}
