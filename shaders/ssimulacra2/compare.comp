// to_xyb, blur_row, blur_mixed and compare_row of feature/ssimulacra2/ssimulacra2.h, and fold_tiles: a tile
// of one channel at one scale, from light to sums. All floats are `precise`: nothing is contracted, and
// sums and products are rounded to nearest (ADR 0068).
#include "shared.h"

layout(local_size_x = kTileSide, local_size_y = kTileSide) in;
layout(constant_id = 0) const uint kChannel = 1;
layout(constant_id = 1) const bool kHasLocal = false;

layout(std430, binding = 0) readonly buffer FirstRed { float first_red[]; };
layout(std430, binding = 1) readonly buffer FirstGreen { float first_green[]; };
layout(std430, binding = 2) readonly buffer FirstBlue { float first_blue[]; };
layout(std430, binding = 3) readonly buffer SecondRed { float second_red[]; };
layout(std430, binding = 4) readonly buffer SecondGreen { float second_green[]; };
layout(std430, binding = 5) readonly buffer SecondBlue { float second_blue[]; };
layout(std430, binding = 6) writeonly buffer Sums { float sums[]; };
layout(std430, binding = 7) buffer Local { float local[]; };

layout(push_constant) uniform Push { ComparePush p; };

const int kReach = 4;
const int kSide = int(kTileSide), kWideSide = kSide + 2 * kReach;
const int kInvocations = kSide * kSide, kWideSamples = kWideSide * kWideSide, kWideRows = kWideSide * kSide;
const float kTaps[kReach + 1] = float[](0.264621109, 0.212928593, 0.109335370, 0.0360111147, 0.00941436738);
const float kThird = 0.333333343, kFourThirds = 1.33333337;  // the floats

// Values of the tile and of what the blur reaches around it.
shared float first_values[kWideSamples];
shared float second_values[kWideSamples];
// Blurred along rows; later, the values of all sums.
shared float rows[4 * kWideRows];

float cube_root(float x) {
  const uint bits = floatBitsToUint(x);
  precise float r = bits < 0x17800000u ? 0.0 : uintBitsToFloat(0x54800000u - (bits >> 23) * 0x002AAAAAu);
  precise const float third = kThird * x;
  [[unroll]] for (int i = 0; i < 3; ++i) {
    precise const float r2 = r * r;
    r = kFourThirds * r - third * (r2 * r2);
  }
  precise const float r2 = r * r;
  r = r + kThird * (r - x * (r2 * r2));
  precise const float root = (r * r) * x;
  return root;
}

float mixed(vec3 weights, vec3 light) {
  precise const float m = weights.x * light.x + (weights.y * light.y + (weights.z * light.z + 0.00379307335));
  precise const float root = cube_root(max(m, 0.0)) + -0.155954197;
  return root;
}

float channel_value(vec3 light) {
  const float c0 = mixed(vec3(0.30, 0.621999979, 0.078), light),
              c1 = mixed(vec3(0.23, 0.691999972, 0.078), light);
  precise float value;
  if (kChannel == 0) {
    value = (0.5 * (c0 - c1)) * 14.0 + 0.42;
  } else {
    precise const float y = 0.5 * (c0 + c1);
    if (kChannel == 1) {
      value = y + 0.01;
    } else {
      value = (mixed(vec3(0.243422687, 0.204767451, 0.551809847), light) - y) + 0.55;
    }
  }
  return value;
}

void load_tile(ivec2 origin, int index) {
  for (int i = index; i < kWideSamples; i += kInvocations) {
    const ivec2 place = origin + ivec2(i % kWideSide, i / kWideSide) - kReach;
    const bool is_inside = all(greaterThanEqual(place, ivec2(0))) && place.x < p.width && place.y < p.height;
    first_values[i] = 0;
    second_values[i] = 0;
    if (!is_inside) continue;
    const uint at = uint(place.y) * p.stride + uint(place.x);
    first_values[i] = channel_value(vec3(first_red[at], first_green[at], first_blue[at]));
    second_values[i] = channel_value(vec3(second_red[at], second_green[at], second_blue[at]));
  }
}

vec4 quantities(int i) {
  const float a = first_values[i], b = second_values[i];
  precise const float difference = a - b;
  precise const vec4 all_four = vec4(a, b, a * a + b * b, difference * difference);
  return all_four;
}

void blur_rows(int index) {
  for (int i = index; i < kWideRows; i += kInvocations) {
    const int middle = i / kSide * kWideSide + i % kSide + kReach;
    precise vec4 sum = vec4(kTaps[0]) * quantities(middle);
    [[unroll]] for (int k = 1; k <= kReach; ++k)
      sum = sum + vec4(kTaps[k]) * (quantities(middle - k) + quantities(middle + k));
    [[unroll]] for (int k = 0; k < 4; ++k) rows[k * kWideRows + i] = sum[k];
  }
}

float blurred(int quantity, int index) {
  const int middle = quantity * kWideRows + index + kReach * kSide;
  precise float sum = kTaps[0] * rows[middle];
  [[unroll]] for (int k = 1; k <= kReach; ++k)
    sum = sum + kTaps[k] * (rows[middle - k * kSide] + rows[middle + k * kSide]);
  return sum;
}

float reciprocal(float x) {
  precise float r = uintBitsToFloat(0x7EF311C7u - floatBitsToUint(x));
  [[unroll]] for (int i = 0; i < 3; ++i) r = r * (2.0 - x * r);
  return r;
}

// Structure, artefact and detail.
vec3 maps_at(int index) {
  const float m1 = blurred(0, index), m2 = blurred(1, index), both = blurred(2, index),
              apart = blurred(3, index);
  precise const float difference = m1 - m2;
  precise const float dm = difference * difference;
  precise const float den = (both - (m1 * m1 + m2 * m2)) + 0.0009;
  precise const float e = apart - dm;
  precise const float structure = (e + dm * (den - e)) * reciprocal(den);
  const int own = (index / kSide + kReach) * kWideSide + index % kSide + kReach;
  precise const float from_first = first_values[own] - m1, from_second = second_values[own] - m2;
  const float e1 = abs(from_first), e2 = abs(from_second);
  precise const float one_more = 1.0 + e1;
  precise const float g = (e2 - e1) * reciprocal(one_more);
  precise const float minus_g = 0.0 - g;
  return max(vec3(structure, g, minus_g), vec3(0));
}

float fourth_power(float v) {
  precise const float square = v * v;
  precise const float power = square * square;
  return v > 1.0 / 2147483648.0 ? power : 0.0;
}

bool is_wanted(int sum) {
  return (p.wanted >> sum & 1) != 0;
}

void add_local(uint at, vec3 maps) {
  precise float value = p.is_first != 0 ? 0.0 : local[at];
  value = value + p.structure_weight * maps.x;
  value = value + p.artefact_weight * maps.y;
  value = value + p.detail_weight * maps.z;
  local[at] = value;
}

// Returns the number of sums. `rows` has been read by all.
int fold(int index, vec3 maps) {
  int count = 0;
  [[unroll]] for (int map = 0; map < 3; ++map) {
    if (is_wanted(2 * map)) rows[count++ * kInvocations + index] = maps[map];
    if (is_wanted(2 * map + 1)) rows[count++ * kInvocations + index] = fourth_power(maps[map]);
  }
  [[unroll]] for (int distance = kInvocations / 2; distance > 0; distance /= 2) {
    barrier();
    for (int k = 0; index < distance && k < count; ++k) {
      const int at = k * kInvocations + index;
      precise const float sum = rows[at] + rows[at + distance];
      rows[at] = sum;
    }
  }
  return count;
}

void main() {
  const int index = int(gl_LocalInvocationIndex);
  const ivec2 origin = ivec2(gl_WorkGroupID.xy) * kSide, place = origin + ivec2(gl_LocalInvocationID.xy);
  load_tile(origin, index);
  barrier();
  blur_rows(index);
  barrier();
  const bool is_inside = place.x < p.width && place.y < p.height;
  const vec3 maps = is_inside ? maps_at(index) : vec3(0);
  if (kHasLocal && is_inside) add_local(uint(place.y) * p.local_stride + uint(place.x), maps);
  barrier();
  const int count = fold(index, maps);
  barrier();
  const uint tile = gl_WorkGroupID.y * p.tile_columns + gl_WorkGroupID.x;
  if (index < count) sums[(p.first_sum + uint(index)) * p.tiles + tile] = rows[index * kInvocations];
}
