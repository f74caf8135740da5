// c_values of feature/cambi/stages.h, for all scales. A work group owns a tile and goes through the levels
// that matter in it, in ascending order. For each it forms one bit for each sample of the tile and its
// surroundings, counts these bits in the windows' rows, adds the counts down the windows' columns, and keeps
// the sums of the last 2 * kContrasts + 1 levels. Once all neighbours of a level are counted, the samples of
// that level get their value. One invocation makes four samples of kRowsEach rows. It also adds up all
// values, which is pool if all of them count.
#include "shared.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kThreads = 256;
layout(constant_id = 1) const uint kTileWords = 2;
layout(constant_id = 2) const uint kRowsEach = 4;
layout(constant_id = 3) const uint kReach = 32;
layout(constant_id = 4) const uint kContrasts = 4;
layout(constant_id = 5) const bool kKeepPlanes = true;

layout(std430, binding = 0) readonly buffer Geometry { ScaleGeometry scales[kScaleCount]; };
layout(std430, binding = 1) readonly buffer Levels { uvec2 levels[]; };
layout(std430, binding = 2) readonly buffer Planes { uvec4 planes[]; };
layout(std430, binding = 3) readonly buffer Sets { uint sets[]; };
layout(std430, binding = 4) readonly buffer Contrasts { ContrastRule contrasts[]; };
layout(std430, binding = 5) readonly buffer Reciprocals { float reciprocals[]; };
layout(std430, binding = 6) writeonly buffer Upper { vec4 upper_values[]; };
layout(std430, binding = 7) writeonly buffer Lower { vec4 lower_values[]; };
layout(std430, binding = 8) writeonly buffer Rest { vec4 rest_values[]; };
layout(std430, binding = 9) buffer Sums { uint sums[]; };

layout(push_constant) uniform Push { GroupPush p; };

#include "sums.glsl"
#include "values.glsl"

// The tile.
const uint kQuads = kTileWords * 8;  // of four samples in a row
const uint kTileRows = kThreads / kQuads * kRowsEach;
const uint kWindow = 2 * kReach + 1;
// Rows of bits: those of the tile and kReach on either side. A task makes the counts of kWordSamples windows
// of one row from kSpan words.
const uint kBitRows = kTileRows + 2 * kReach;
const uint kSide = (kReach + 31) / 32;
const uint kSpan = 2 * kSide + 1;
const uint kTasks = kBitRows * kTileWords;
const uint kTasksEach = (kTasks + kThreads - 1) / kThreads;
const uint kTaskStride = kTasks + 4;  // spreads a row's quads over memory banks
const uint kCountWords = 8 * kTaskStride;
// Sums cover kRowsEach rows each; a window consists of kFullBlocks of them and some further rows.
const uint kFullBlocks = kWindow / kRowsEach;
const uint kBlocks = kTileRows / kRowsEach + kFullBlocks - 1;

const uint kPairs = 2 * kRowsEach;  // of samples of one invocation
const uint kRing = 2 * kContrasts + 1;
const uint kHalves = 0x00FF00FF;
const uint kNone = 0xFFFFFFFF;

shared uint row_counts[2 * kCountWords];  // four to a word, the task changing fastest; two levels take turns
shared uvec2 block_sums[(kBlocks + 1) * kQuads];
// Sets of levels: all in the surroundings, those of the tile, those of the tile that have neighbours, and
// these with their neighbours. The first and the last word stay 0.
shared uint around[kSetWords + 2], own[kSetWords + 2], bordering[kSetWords + 2], needed[kSetWords + 2];

shared uint first_needed, end_needed;  // words of `needed` that are not 0 lie between

struct Tile {
  uint scale_number;
  ScaleGeometry scale;
  uint word;  // the first
  uint row;
};

Tile find_tile() {
  const uint number = p.first_group + gl_WorkGroupID.x;
  uint s = 0;
  while (number - scales[s].first_tile >= scales[s].tiles) ++s;
  const uint at = number - scales[s].first_tile;
  return Tile(s, scales[s], at % scales[s].tiles_x * kTileWords, at / scales[s].tiles_x * kTileRows);
}

#include "c_values_levels.glsl"

// The bit planes of the words that each task reads, or, if they are not kept, that the current one reads.
const uint kTaskPlanes = kSpan * kLevelBits;
uint bits[kKeepPlanes ? kTasksEach * kTaskPlanes : kTaskPlanes];

void load_planes(Tile tile, uint task, uint to) {
  const int y = int(tile.row + task / kTileWords) - int(kReach);
  const int first = int(tile.word + task % kTileWords) - int(kSide);
  const bool row_inside = task < kTasks && y >= 0 && y < int(tile.scale.height);
  [[unroll]] for (uint i = 0; i < kSpan; ++i) {
    const int x = first + int(i);
    uvec4 a = uvec4(kNone), b = a, c = a;
    if (row_inside && x >= 0 && x < int(tile.scale.words)) {
      const uint at = kPlaneVectors * (tile.scale.first_word + uint(y) * tile.scale.words + uint(x));
      a = planes[at];
      b = planes[at + 1];
      c = planes[at + 2];
    }
    [[unroll]] for (uint k = 0; k < 4; ++k) {
      bits[to + kLevelBits * i + k] = a[k];
      bits[to + kLevelBits * i + 4 + k] = b[k];
      if (k < kLevelBits - 8) bits[to + kLevelBits * i + 8 + k] = c[k];
    }
  }
}

// One bit for each sample of the level.
void match(uint level, uint first, out uint matches[kSpan]) {
  [[unroll]] for (uint i = 0; i < kSpan; ++i) {
    uint all = kNone;
    [[unroll]] for (uint k = 0; k < kLevelBits; ++k) {
      all &= bits[first + kLevelBits * i + k] ^ ((level >> k & 1) - 1);
    }
    matches[i] = all;
  }
}

#include "c_values_counts.glsl"

// The counts of the last levels, and what an invocation knows of its samples: pairs as in add_columns.
uint ring[kRing * kPairs];
uint sample_levels[kPairs];
float best[2 * kPairs];

void load_levels(Tile tile) {
  const uint quad = gl_LocalInvocationIndex % kQuads, segment = gl_LocalInvocationIndex / kQuads;
  [[unroll]] for (uint i = 0; i < kRowsEach; ++i) {
    const uint y = tile.row + segment * kRowsEach + i;
    uvec2 pairs = uvec2(kNoLevel * 0x10001);
    if (y < tile.scale.height) {
      pairs = levels[(tile.scale.first_word + y * tile.scale.words + tile.word) * 8 + quad];
    }
    sample_levels[2 * i] = (pairs.x & 0xFFFF) | pairs.y << 16;
    sample_levels[2 * i + 1] = pairs.x >> 16 | (pairs.y & 0xFFFF0000);
  }
  [[unroll]] for (uint i = 0; i < 2 * kPairs; ++i) best[i] = 0;
}

uint half_of(uint pair, uint i) {
  return i == 0 ? pair & 0xFFFF : pair >> 16;
}

// Gives the samples of the level the value of one contrast, if that is more than they have.
void weigh(uint level, uint weight, uvec2 neighbours, bvec2 present) {
  const uint at = level % kRing * kPairs;
  const uint up_at = neighbours.x % kRing * kPairs, down_at = neighbours.y % kRing * kPairs;
  [[unroll]] for (uint i = 0; i < kPairs; ++i) {
    const uint up = present.x ? ring[up_at + i] : 0, down = present.y ? ring[down_at + i] : 0;
    const uint here = ring[at + i];
    [[unroll]] for (uint k = 0; k < 2; ++k) {
      const uint other = max(half_of(up, k), half_of(down, k));
      if (half_of(sample_levels[i], k) != level || other == 0) continue;
      // Both factors are exact, so that the product is rounded once.
      const uint count = half_of(here, k);
      precise const float product = float(weight * count) * float(other);
      precise const float value = product * reciprocals[count + other];
      best[2 * i + k] = max(best[2 * i + k], value);
    }
  }
}

void evaluate(uint level) {
  bool any = false;
  [[unroll]] for (uint i = 0; i < kPairs; ++i) {
    any = any || half_of(sample_levels[i], 0) == level || half_of(sample_levels[i], 1) == level;
  }
  if (!any) return;
  for (uint d = 1; d <= kContrasts; ++d) {
    const ContrastRule rule = contrasts[d - 1];
    if (int(level) < rule.first_level || int(level) > rule.last_level) continue;
    const uint up = level + d, down = level - d;
    const bool has_up = holds(needed[up / 32 + 1], up);
    const bool has_down = level >= d && holds(needed[down / 32 + 1], down);
    if (has_up || has_down) weigh(level, rule.weight, uvec2(up, down), bvec2(has_up, has_down));
  }
}

// Levels of a set in ascending order.
struct Walk {
  uint word, bits;
};
uint next_bordering(inout Walk walk) {
  while (walk.bits == 0) {
    if (++walk.word >= end_needed) return kNone;
    walk.bits = bordering[walk.word + 1];
  }
  const uint bit = uint(findLSB(walk.bits));
  walk.bits &= walk.bits - 1;
  return walk.word * 32 + bit;
}

void count_level(Tile tile, uint level, uint base) {
  [[unroll]] for (uint i = 0; i < kTasksEach; ++i) {
    const uint task = gl_LocalInvocationIndex + i * kThreads;
    const uint planes_at = kKeepPlanes ? i * kTaskPlanes : 0;
    if (!kKeepPlanes) load_planes(tile, task, 0);
    uint matches[kSpan];
    match(level, planes_at, matches);
    if (task < kTasks) count_row(base + task, matches);
  }
  barrier();
  add_blocks(base);
  barrier();
  uint counts[kPairs];
  add_columns(base, counts);
  [[unroll]] for (uint i = 0; i < kPairs; ++i) ring[level % kRing * kPairs + i] = counts[i];
}

void evaluate_levels(Tile tile) {
  if (first_needed >= end_needed) return;
  if (kKeepPlanes) {
    [[unroll]] for (uint i = 0; i < kTasksEach; ++i) {
      load_planes(tile, gl_LocalInvocationIndex + i * kThreads, i * kTaskPlanes);
    }
  }
  Walk walk = Walk(first_needed, bordering[first_needed + 1]);
  uint pending = next_bordering(walk);
  uint base = 0, word = first_needed, set = needed[word + 1];
  for (;;) {
    while (set == 0 && ++word < end_needed) set = needed[word + 1];
    const uint level = set == 0 ? kNone : word * 32 + uint(findLSB(set));
    // The ring is about to lose earlier entries.
    for (; pending != kNone && (level == kNone || pending + kContrasts < level);
         pending = next_bordering(walk)) {
      evaluate(pending);
    }
    if (level == kNone) return;
    set &= set - 1;
    count_level(tile, level, base);
    base = kCountWords - base;
  }
}

void store(Tile tile) {
  const uint quad = gl_LocalInvocationIndex % kQuads, segment = gl_LocalInvocationIndex / kQuads;
  uvec2 sum = uvec2(0);
  uint count = 0;
  [[unroll]] for (uint i = 0; i < 2 * kPairs; ++i) {
    if (best[i] == 0) continue;
    add(sum, units_of(best[i]));
    ++count;
  }
  group_add(sum, count);
  [[unroll]] for (uint i = 0; i < kRowsEach; ++i) {
    const uint y = tile.row + segment * kRowsEach + i;
    if (y >= tile.scale.height) continue;
    const vec4 values = vec4(best[4 * i], best[4 * i + 2], best[4 * i + 1], best[4 * i + 3]);
    const ValuePlace place = value_place(tile.scale_number, tile.scale, y);
    const uint at = place.quad + tile.word * 8 + quad;
    if (place.buffer_number == kUpper) {
      upper_values[at] = values;
    } else if (place.buffer_number == kLower) {
      lower_values[at] = values;
    } else {
      rest_values[at] = values;
    }
  }
}

void main() {
  const Tile tile = find_tile();
  for (uint i = gl_LocalInvocationIndex; i < kSetWords + 2; i += kThreads) {
    around[i] = own[i] = bordering[i] = needed[i] = 0;
  }
  if (gl_LocalInvocationIndex == 0) {
    first_needed = kSetWords;
    end_needed = 0;
  }
  group_clear();
  load_levels(tile);
  barrier();
  collect_levels(tile);
  barrier();
  choose_levels();
  barrier();
  evaluate_levels(tile);
  store(tile);
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    const uint first = tile.scale_number * kSumWords;
    if (group_sum[3] != 0) atomicAdd(sums[first], group_sum[3]);
    group_add_to_sums(first + kSumOfAll);
  }
}
