// Filters columns. Included behind the push constants, of which it needs the sizes.
#include "arithmetic.glsl"

layout(local_size_x = kGroupX, local_size_y = kGroupY) in;
layout(constant_id = 0) const uint kReach = 16;
layout(constant_id = 1) const bool kIsMirrored = false;

layout(std430, binding = 0) readonly buffer Table { float table[]; };
layout(std430, binding = 1) readonly buffer Across { float across[]; };

float across_at(uint column, int y) {
  const int height = int(p.height);
  if (kIsMirrored)
    return across[column + uint(y < 0 ? -1 - y : y < height ? y : 2 * height - 1 - y) * p.stride];
  return 0 <= y && y < height ? across[column + uint(y) * p.stride] : 0.0;
}

float filtered_column(uint plane, uint x, uint y) {
  const uint column = plane * p.plane + x, at = column + y * p.stride;
  precise float sum = 0;
  if (kReach <= y && y + kReach < p.height) {
    for (uint i = kReach; i > 0; --i)
      sum = sum + table[i] * (across[at - i * p.stride] + across[at + i * p.stride]);
  } else {
    for (int i = int(kReach); i > 0; --i)
      sum = sum + table[i] * (across_at(column, int(y) - i) + across_at(column, int(y) + i));
  }
  precise const float result = (sum + table[0] * across[at]) * table[kTableTaps + p.width + y];
  return settled(result);
}
