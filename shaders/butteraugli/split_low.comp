// filter_columns and split_low of feature/butteraugli/stages.h: the lowest band, filtered along columns, and
// what is left of the picture.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

#include "columns.glsl"

layout(std430, binding = 2) readonly buffer Picture { float picture[]; };
layout(std430, binding = 3) writeonly buffer Low { float low[]; };
layout(std430, binding = 4) writeonly buffer Middle { float middle[]; };

void main() {
  const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x >= p.width || y >= p.height) return;
  const uint at_x = y * p.stride + x, at_y = at_x + p.plane, at_b = at_y + p.plane;
  const float low_x = filtered_column(0, x, y), low_y = filtered_column(1, x, y),
              low_b = filtered_column(2, x, y);
  precise const float left_x = picture[at_x] - low_x, left_y = picture[at_y] - low_y,
                      left_b = picture[at_b] - low_b;
  middle[at_x] = settled(left_x);
  middle[at_y] = settled(left_y);
  middle[at_b] = settled(left_b);
  precise const float scaled_x = low_x * kLowX, scaled_y = low_y * kLowY,
                      scaled_b = (low_b + kLowBlueOfY * low_y) * kLowB;
  low[at_x] = scaled_x;
  low[at_y] = scaled_y;
  low[at_b] = scaled_b;
}
