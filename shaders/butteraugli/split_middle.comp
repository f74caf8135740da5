// filter_columns and split_middle of feature/butteraugli/stages.h: the middle band, filtered along columns,
// and what is left of X and Y.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

#include "columns.glsl"
#include "limits.glsl"

layout(std430, binding = 2) buffer Middle { float middle[]; };
layout(std430, binding = 3) writeonly buffer High { float high[]; };

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint at_x = y * p.stride + x, at_y = at_x + p.plane, at_b = at_y + p.plane;
  const float soft_x = filtered_column(0, x, y), soft_y = filtered_column(1, x, y),
              soft_b = filtered_column(2, x, y);
  precise const float left_x = middle[at_x] - soft_x, left_y = middle[at_y] - soft_y;
  const float high_y = settled(left_y);
  precise const float squared = high_y * high_y + kSuppression;
  precise const float suppression = kSuppression * reciprocal(squared);
  precise const float high_x = (suppression * kSuppressed + kUnsuppressed) * settled(left_x);
  high[at_x] = high_x;
  high[at_y] = high_y;
  middle[at_x] = without(soft_x, kRemoveMiddleX);
  middle[at_y] = amplified(soft_y, kAmplifyMiddleY);
  middle[at_b] = soft_b;
}
