// filter_columns, split_high and activity of feature/butteraugli/stages.h: the high bands, filtered along
// columns, the finest ones, and how much goes on in them.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

#include "columns.glsl"
#include "limits.glsl"

layout(std430, binding = 2) buffer High { float high[]; };
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
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint at_x = y * p.stride + x, at_y = at_x + p.plane, at_activity = at_y + p.plane;
  const float soft_x = filtered_column(0, x, y), clamped_y = clamped(filtered_column(1, x, y), kClampHighY);
  precise const float left_x = high[at_x] - soft_x, left_y = high[at_y] - clamped_y;
  precise const float raised_y = clamped_y * kHighFactorY;
  precise const float finest_y = clamped(settled(left_y), kClampFinestY) * kFinestFactorY;
  const float finest_x = without(left_x, kRemoveFinestX), high_x = without(soft_x, kRemoveHighX);
  const float high_y = amplified(raised_y, kAmplifyHighY);
  finest[at_x] = finest_x;
  finest[at_y] = finest_y;
  high[at_x] = high_x;
  high[at_y] = high_y;
  high[at_activity] = activity(high_x, high_y, finest_x, finest_y);
}
