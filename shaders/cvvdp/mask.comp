// blur_row and mask_row of feature/cvvdp/cvvdp.h, of all channels, and fold_tiles of feature/light/light.h: a
// tile's masked differences, and their sums. All floats are `precise`: nothing is contracted, and sums and
// products are rounded to nearest (ADR 0068).
#include "../common/quotient.glsl"
#include "shared.h"
#include "functions.glsl"

layout(local_size_x = kTileSide, local_size_y = kTileSide) in;
layout(constant_id = 0) const bool kIsBlurred = true;
layout(constant_id = 1) const bool kKeepsDifferences = false;

layout(std430, binding = 0) readonly buffer Mutual { vec4 mutual[]; };
layout(std430, binding = 1) readonly buffer Difference { vec4 difference[]; };
layout(std430, binding = 2) readonly buffer Table { float table[]; };
layout(std430, binding = 3) writeonly buffer Sums { float sums[]; };
layout(std430, binding = 4) writeonly buffer Differences { float differences[]; };

layout(push_constant) uniform Push { MaskPush p; };

const int kReach = 6, kSide = int(kTileSide), kRows = kSide + 2 * kReach;
const int kInvocations = kSide * kSide;

// Blurred along rows; later, terms of sums.
shared vec4 rows[kRows * kSide];

int reflected(int at, int size) {
  return at < 0 ? -at : at < size ? at : 2 * size - 2 - at;
}

vec4 tap(int i) {
  return vec4(table[i]);
}

// Two samples of a row, from (x, y) on, which have most of what they are made of in common. Values outside
// the picture, beyond what is reflected once, are not used.
vec4[2] along_row(int x, int y) {
  const int width = int(p.width), row = reflected(y, int(p.height)) * width;
  vec4 values[2 * kReach + 2];
  [[unroll]] for (int i = 0; i < 2 * kReach + 2; ++i)
    values[i] = mutual[row + reflected(min(x + i, width + 2 * kReach - 1) - kReach, width)];
  precise vec4 sums[2];
  [[unroll]] for (int i = 0; i < 2; ++i) {
    [[unroll]] for (int k = 0; k < kReach; ++k) {
      precise const vec4 term = tap(k) * (values[i + k] + values[i + 2 * kReach - k]);
      sums[i] = k == 0 ? term : sums[i] + term;
    }
    sums[i] = sums[i] + tap(kReach) * values[i + kReach];
  }
  return sums;
}

vec4 across_rows(int index) {
  const int middle = index + kReach * kSide;
  precise vec4 sum = vec4(0);
  [[unroll]] for (int k = 0; k < kReach; ++k) {
    const int far = (kReach - k) * kSide;
    precise const vec4 term = tap(k) * (rows[middle - far] + rows[middle + far]);
    sum = k == 0 ? term : sum + term;
  }
  sum = sum + tap(kReach) * rows[middle];
  return sum;
}

float power_of(uint which, float x) {
  precise const float raised = x + 1e-5;
  precise const float exponent = table[kExponentStart + which] * log2_of(raised);
  precise const float power = exp2_of(exponent) - table[kAtZeroStart + which];
  return power;
}

float masked_by(uint channel, vec4 masks, float apart) {
  const float d = power_of(4, apart);
  precise float mask = masks.x * table[kWeightStart + channel];
  mask = mask + masks.y * table[kWeightStart + 4 + channel];
  mask = mask + masks.z * table[kWeightStart + 8 + channel];
  mask = mask + masks.w * table[kWeightStart + 12 + channel];
  precise const float dividend = p.most * d;
  precise const float divisor = p.most * (1.0 + mask) + d;
  return quotient(dividend, divisor);
}

void main() {
  const int index = int(gl_LocalInvocationIndex);
  const ivec2 origin = ivec2(gl_WorkGroupID.xy) * kSide, place = origin + ivec2(gl_LocalInvocationID.xy);
  const bool is_inside = place.x < int(p.width) && place.y < int(p.height);
  const int at = place.y * int(p.width) + place.x;
  precise vec4 common_part = vec4(0);
  if (kIsBlurred) {
    for (int i = 2 * index; i < kRows * kSide; i += 2 * kInvocations) {
      const int x = origin.x + i % kSide, y = origin.y + i / kSide - kReach;
      const bool is_used = x < int(p.width) && y < int(p.height) + kReach;
      const vec4 sums[2] = is_used ? along_row(x, y) : vec4[2](vec4(0), vec4(0));
      rows[i] = sums[0];
      rows[i + 1] = sums[1];
    }
    barrier();
    common_part = across_rows(index);
    barrier();
  } else if (is_inside) {
    common_part = mutual[at];
  }
  precise vec4 terms = vec4(0);
  if (is_inside) {
    precise const vec4 gained = common_part * vec4(p.mutual_gain);
    const vec4 masks =
        vec4(power_of(0, gained.x), power_of(1, gained.y), power_of(2, gained.z), power_of(3, gained.w));
    const vec4 apart = difference[at];
    const vec4 masked = vec4(masked_by(0, masks, apart.x), masked_by(1, masks, apart.y),
                             masked_by(2, masks, apart.z), masked_by(3, masks, apart.w));
    terms = masked * (masked + vec4(p.sum_offset));
    if (kKeepsDifferences) {
      [[unroll]] for (int k = 0; k < 4; ++k) differences[uint(k) * p.plane + uint(at)] = masked[k];
    }
  }
  rows[index] = terms;
  [[unroll]] for (int distance = kInvocations / 2; distance > 0; distance /= 2) {
    barrier();
    if (index < distance) {
      precise const vec4 sum = rows[index] + rows[index + distance];
      rows[index] = sum;
    }
  }
  if (index != 0) return;
  const uint tile = gl_WorkGroupID.y * p.tile_columns + gl_WorkGroupID.x;
  [[unroll]] for (int k = 0; k < 4; ++k) sums[uint(k) * p.tiles + tile] = rows[0][k];
}
