// filter_row and filter_columns of feature/butteraugli/stages.h for a tile of kFilterTile x kFilterTile
// samples. Those that the filter reaches are in shared memory, and then what the filter of rows makes of
// them, in their place. Included behind kReach, kIsMirrored and the push constants.
#include "arithmetic.glsl"

layout(local_size_x = kFilterGroup) in;

layout(std430, binding = 0) readonly buffer Factors { float factors[]; };
layout(std430, binding = 1) readonly buffer In { float samples[]; };

const int kWideSide = int(kFilterTile) + 2 * kReach, kRowLength = 64;
// Results of an invocation: beside each other in a row, and below each other in a column.
const int kAcross = 8, kDown = 4;

shared float tile[kWideSide * kRowLength];

// Samples beside each other are in different banks of the memory, and so are those below each other.
uint tile_place(int x, int y) {
  return uint(y * kRowLength + (x ^ (y & 31)));
}

float tap(int i) {
  return p.taps[i / 4][i % 4];
}

// The first sample of this invocation's results of filtered(); the others are below it.
uvec2 first_place() {
  const uint i = gl_LocalInvocationIndex;
  return gl_WorkGroupID.xy * kFilterTile + uvec2(i % kFilterTile, i / kFilterTile * kDown);
}
bool exists(uvec2 place) {
  return place.x < p.width && place.y < p.height;
}

ivec2 mirrored(ivec2 place, ivec2 size) {
  return max(-1 - place, min(place, max(2 * size - 1 - place, ivec2(0))));
}

void load_tile(uint plane) {
  const int i = int(gl_LocalInvocationIndex), x = i % kRowLength;
  const ivec2 size = ivec2(p.width, p.height), first = ivec2(gl_WorkGroupID.xy * kFilterTile) - kReach;
  for (int y = i / kRowLength; x < kWideSide && y < kWideSide; y += int(kFilterGroup) / kRowLength) {
    ivec2 place = first + ivec2(x, y);
    if (kIsMirrored) place = mirrored(place, size);
    const bool is_inside = all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, size));
    float value = 0;
    if (is_inside) value = samples[plane * p.plane + uint(place.y) * p.stride + uint(place.x)];
    tile[tile_place(x, y)] = value;
  }
}

void filter_rows() {
  const int i = int(gl_LocalInvocationIndex), y = i % kRowLength, x = i / kRowLength * kAcross;
  float window[kAcross + 2 * kReach];
  if (y < kWideSide) {
    [[unroll]] for (int k = 0; k < kAcross + 2 * kReach; ++k) window[k] = tile[tile_place(x + k, y)];
  }
  barrier();
  if (y >= kWideSide) return;
  [[unroll]] for (int at = 0; at < kAcross; ++at) {
    const uint column = min(gl_WorkGroupID.x * kFilterTile + uint(x + at), p.width - 1);
    precise float sum = 0;
    [[unroll]] for (int k = kReach; k > 0; --k)
      sum = sum + tap(k) * (window[at + kReach - k] + window[at + kReach + k]);
    precise const float result = (sum + tap(0) * window[at + kReach]) * factors[column];
    tile[tile_place(x + at, y)] = settled(result);
  }
}

vec4 filter_columns() {
  const int i = int(gl_LocalInvocationIndex), x = i % int(kFilterTile), y = i / int(kFilterTile) * kDown;
  float window[kDown + 2 * kReach];
  [[unroll]] for (int k = 0; k < kDown + 2 * kReach; ++k) window[k] = tile[tile_place(x, y + k)];
  vec4 results;
  [[unroll]] for (int at = 0; at < kDown; ++at) {
    const uint row = min(gl_WorkGroupID.y * kFilterTile + uint(y + at), p.height - 1);
    precise float sum = 0;
    [[unroll]] for (int k = kReach; k > 0; --k)
      sum = sum + tap(k) * (window[at + kReach - k] + window[at + kReach + k]);
    precise const float result = (sum + tap(0) * window[at + kReach]) * factors[p.width + row];
    results[at] = settled(result);
  }
  return results;
}

// The filtered samples from first_place() on, downwards.
vec4 filtered(uint plane) {
  barrier();
  load_tile(plane);
  barrier();
  filter_rows();
  barrier();
  return filter_columns();
}
