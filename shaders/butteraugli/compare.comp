// line_differences, add_lines, erode, map_row and add_half of feature/butteraugli/stages.h in one: the map of
// differences of one scale, and its tiles' figures. A work group makes a tile: the differences along lines of
// one band after the other, in shared memory with what lies around the tile, then the rest.
#include "shared.h"
#include "arithmetic.glsl"

layout(local_size_x = kTile, local_size_y = kTile) in;
layout(constant_id = 0) const bool kHasHalf = true;
layout(constant_id = 1) const bool kWritesMap = false;
layout(constant_id = 2) const bool kSumsUp = true;

// High bands and activity, finest bands, low and middle bands, the reference's and the distorted picture's.
layout(std430, binding = 0) readonly buffer HighA { float high_a[]; };
layout(std430, binding = 1) readonly buffer FinestA { float finest_a[]; };
layout(std430, binding = 2) readonly buffer LowA { float low_a[]; };
layout(std430, binding = 3) readonly buffer MiddleA { float middle_a[]; };
layout(std430, binding = 4) readonly buffer HighB { float high_b[]; };
layout(std430, binding = 5) readonly buffer FinestB { float finest_b[]; };
layout(std430, binding = 6) readonly buffer LowB { float low_b[]; };
layout(std430, binding = 7) readonly buffer MiddleB { float middle_b[]; };
layout(std430, binding = 8) readonly buffer HalfMap { float half_map[]; };
// The map, then the sums of tiles, of what is wanted.
layout(std430, binding = 9) writeonly buffer Results { float results[]; };

layout(push_constant) uniform Push { ComparePush p; };

const uint kInvocations = kTile * kTile;
const int kLineReach = 4, kErosionReach = 3;
const uint kLineStride = kTile + 2 * kLineReach;

shared vec2 differences[kLineStride * kLineStride];
shared float largest[kInvocations];
shared vec4 powers[kInvocations];

#include "lines.glsl"

// Difference of two vectors, X and Y; the first is the reference's.
vec2 line_difference(vec2 a, vec2 b, vec2 norm, vec2 up, vec2 down) {
  const vec2 size = abs(a);
  precise const vec2 divisor = norm + vec2(0.5) * (size + abs(b));
  const vec2 fraction = vec2(reciprocal(divisor.x), reciprocal(divisor.y));
  precise const vec2 difference = (up * fraction) * (a - b), factor = down * fraction;
  precise const vec2 negated = -b, low = vec2(kRatioLow) * size, high = vec2(kRatioHigh) * size;
  const bvec2 is_negative = lessThan(a, vec2(0));
  const vec2 same = mix(b, negated, is_negative);
  precise const vec2 below = factor * (low - same), beyond = factor * (same - high), above = -beyond;
  const vec2 excess = mix(mix(vec2(0), above, greaterThan(same, high)), below, lessThan(same, low));
  precise const vec2 negated_excess = -excess;
  precise const vec2 result = difference + mix(excess, negated_excess, is_negative);
  return vec2(settled(result.x), settled(result.y));
}

vec2 difference_at(int band, uint at) {
  const uint at_y = at + p.plane;
  if (band == 0) {
    return line_difference(vec2(finest_a[at], finest_a[at_y]), vec2(finest_b[at], finest_b[at_y]),
                           vec2(p.norm0, p.norm3), vec2(p.up0, p.up3), vec2(p.down0, p.down3));
  }
  if (band == 1) {
    return line_difference(vec2(high_a[at], high_a[at_y]), vec2(high_b[at], high_b[at_y]),
                           vec2(p.norm1, p.norm4), vec2(p.up1, p.up4), vec2(p.down1, p.down4));
  }
  return line_difference(vec2(middle_a[at], middle_a[at_y]), vec2(middle_b[at], middle_b[at_y]),
                         vec2(p.norm2, p.norm5), vec2(p.up2, p.up5), vec2(p.down2, p.down5));
}

vec2 lines_of(int band) {
  const ivec2 first = ivec2(gl_WorkGroupID.xy * kTile) - kLineReach;
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < kLineStride * kLineStride; i += kInvocations) {
    const ivec2 place = first + ivec2(i % kLineStride, i / kLineStride);
    const bool exists =
        all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, ivec2(p.width, p.height)));
    differences[i] = exists ? difference_at(band, uint(place.y) * p.stride + uint(place.x)) : vec2(0);
  }
  barrier();
  const uint at = (gl_LocalInvocationID.y + kLineReach) * kLineStride + gl_LocalInvocationID.x + kLineReach;
  return band == 0 ? long_lines(at) : short_lines(at);
}

float squared_difference(float a, float b) {
  precise const float difference = a - b;
  const float kept = settled(difference);
  precise const float squared = kept * kept;
  return squared;
}

float asymmetric(float a, float b, float difference_weight, float excess_weight) {
  const float size = abs(a);
  precise const float negated = -b, small = kSmallRatio * size;
  const float same = a < 0 ? negated : b;
  precise const float below = small - same, beyond = same - size;
  const float excess = settled(same < small ? below : same > size ? beyond : 0.0);
  precise const float result =
      squared_difference(a, b) * difference_weight + excess_weight * (excess * excess);
  return result;
}

float visibility(float mask, float offset, float scale, float factor) {
  precise const float divisor = scale * mask + offset;
  precise const float root_of_it = kMaskScale * (1.0 + factor * reciprocal(divisor));
  precise const float result = root_of_it * root_of_it;
  return result;
}

float eroded(ivec2 place) {
  const uint activity = 2 * p.plane;
  const float value = high_a[activity + uint(place.y) * p.stride + uint(place.x)];
  precise const float twice = value + value;
  float first = min(value, twice), second = twice, third = max(value, twice);
  for (int dy = -kErosionReach; dy <= kErosionReach; dy += kErosionReach) {
    for (int dx = -kErosionReach; dx <= kErosionReach; dx += kErosionReach) {
      const ivec2 other = place + ivec2(dx, dy);
      if ((dx == 0 && dy == 0) || any(lessThan(other, ivec2(0))) ||
          any(greaterThanEqual(other, ivec2(p.width, p.height))))
        continue;
      const float x = high_a[activity + uint(other.y) * p.stride + uint(other.x)];
      third = min(third, max(second, x));
      second = min(second, max(first, x));
      first = min(first, x);
    }
  }
  precise const float mask = (kSmallest * first + kSecondSmallest * second) + kThirdSmallest * third;
  return mask;
}

float difference_of(ivec2 place, vec2 lines) {
  const uint x = uint(place.y) * p.stride + uint(place.x), y = x + p.plane, b = y + p.plane;
  precise const float low = (squared_difference(low_a[x], low_b[x]) * kLowSquareX +
                             squared_difference(low_a[y], low_b[y]) * kLowSquareY) +
                            squared_difference(low_a[b], low_b[b]) * kLowSquareB;
  precise const float fine_x = (lines.x + asymmetric(high_a[x], high_b[x], p.difference_x, p.excess_x)) +
                               squared_difference(middle_a[x], middle_b[x]) * kMiddleX;
  precise const float fine_y = ((lines.y + asymmetric(high_a[y], high_b[y], p.difference_y, p.excess_y)) +
                                squared_difference(middle_a[y], middle_b[y]) * kMiddleY) +
                               kMaskDifference * squared_difference(high_a[b], high_b[b]);
  precise const float fine_b = squared_difference(middle_a[b], middle_b[b]) * kMiddleB;
  const float mask = eroded(place);
  precise const float sum =
      low * visibility(mask, kCoarseOffset, kCoarseScale, kCoarseFactor) +
      ((fine_x + fine_y) + fine_b) * visibility(mask, kFineOffset, kFineScale, kFineFactor);
  return root(sum);
}

// Sums up the tile of which this is a sample, 0 beyond the picture.
void sum_up(float value) {
  const uint i = gl_LocalInvocationIndex;
  largest[i] = value;
  barrier();
  for (uint step = kInvocations / 2; step > 0; step /= 2) {
    if (i < step) largest[i] = max(largest[i], largest[i + step]);
    barrier();
  }
  const float maximum = largest[0];
  precise const float scaled = value * uintBitsToFloat(254 - (floatBitsToUint(maximum) >> 23) << 23);
  const float part = scaled < kLeastPart ? 0.0 : scaled;
  precise const float squared = part * part, cubed = squared * part, sixth = cubed * cubed;
  const float kept = sixth < kLeastSixth ? 0.0 : sixth;
  precise const float twelfth = kept * kept;
  powers[i] = vec4(squared, cubed, sixth, twelfth);
  barrier();
  for (uint step = kInvocations / 2; step > 0; step /= 2) {
    if (i < step) {
      precise const vec4 sum = powers[i] + powers[i + step];
      powers[i] = sum;
    }
    barrier();
  }
  if (i != 0) return;
  const uint tile = p.first_sum + (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kTileFloats;
  const vec4 sums = maximum == 0 ? vec4(0) : powers[0];
  results[tile] = maximum;
  results[tile + 1] = sums.x;
  results[tile + 2] = sums.y;
  results[tile + 3] = sums.z;
  results[tile + 4] = sums.w;
}

void main() {
  precise vec2 lines = lines_of(0);
  lines = lines + lines_of(1);
  lines = lines + lines_of(2);
  const ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  precise float value = 0;
  if (place.x < p.width && place.y < p.height) {
    value = difference_of(place, lines);
    if (kHasHalf)
      value =
          kWholeScale * value + kHalfScale * half_map[uint(place.y / 2) * p.half_stride + uint(place.x / 2)];
    if (kWritesMap) results[uint(place.y) * p.stride + uint(place.x)] = value;
  }
  if (kSumsUp) sum_up(value);
}
