// filter_row, filter_columns and split_low of feature/butteraugli/stages.h: the lowest band, and what is left
// of the picture.
#include "shared.h"

layout(push_constant) uniform Push { BandsPush p; };

const int kReach = kLowReach;
const bool kIsMirrored = false;
#include "tile.glsl"

layout(std430, binding = 2) writeonly buffer Low { float low[]; };
layout(std430, binding = 3) writeonly buffer Rest { float rest[]; };

void main() {
  const vec4 all_x = filtered(0), all_y = filtered(1), all_b = filtered(2);
  uvec2 place = first_place();
  [[unroll]] for (int i = 0; i < kDown && exists(place); ++i, ++place.y) {
    const uint at_x = place.y * p.stride + place.x, at_y = at_x + p.plane, at_b = at_y + p.plane;
    const float low_x = all_x[i], low_y = all_y[i], low_b = all_b[i];
    precise const float left_x = samples[at_x] - low_x, left_y = samples[at_y] - low_y,
                        left_b = samples[at_b] - low_b;
    rest[at_x] = settled(left_x);
    rest[at_y] = settled(left_y);
    rest[at_b] = settled(left_b);
    precise const float scaled_x = low_x * kLowX, scaled_y = low_y * kLowY,
                        scaled_b = (low_b + kLowBlueOfY * low_y) * kLowB;
    low[at_x] = scaled_x;
    low[at_y] = scaled_y;
    low[at_b] = scaled_b;
  }
}
