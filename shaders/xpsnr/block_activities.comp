// block_activities of feature/xpsnr/xpsnr.h: sums of detail and change of luma, block by block.
#include "shared.h"
#include "tile.glsl"

layout(local_size_x = kGroup) in;
layout(constant_id = 3) const uint kBytes = 1;
layout(constant_id = 4) const uint kShift = 0;
layout(constant_id = 5) const bool kInCells = false;
layout(constant_id = 6) const bool kIsSecondOrder = false;

// A vector of 8-bit samples is a word, one of 16-bit samples a pair.
layout(std430, binding = 0) readonly buffer WordsNow { uint words_now[]; };
layout(std430, binding = 0) readonly buffer PairsNow { uvec2 pairs_now[]; };
layout(std430, binding = 1) readonly buffer WordsLast { uint words_last[]; };
layout(std430, binding = 1) readonly buffer PairsLast { uvec2 pairs_last[]; };
layout(std430, binding = 2) readonly buffer WordsOlder { uint words_older[]; };
layout(std430, binding = 2) readonly buffer PairsOlder { uvec2 pairs_older[]; };
layout(std430, binding = 3) writeonly buffer Sums { TileActivity sums[]; };

layout(push_constant) uniform Push { BlockPush p; };

shared uint tile_spatial, tile_from_none, tile_from_one, tile_from_two;

// Where a vector is, in vectors. Rows outside the picture are those at its border; columns outside are some
// that are not used.
uint place(int x, int y, uint stride) {
  const uint column = uint(clamp(x, 0, int(p.width - 1) / int(kVector) * int(kVector)));
  const uint row = uint(clamp(y, 0, int(p.height) - 1));
  return (row * stride + column * kBytes) / (kVector * kBytes);
}
ivec4 load_now(int x, int y) {
  const uint at = place(x, y, p.stride_a);
  return shifted(kBytes == 1 ? samples_of(words_now[at]) : samples_of(pairs_now[at]), kShift);
}
ivec4 load_last(int x, int y) {
  const uint at = place(x, y, p.stride_b);
  return shifted(kBytes == 1 ? samples_of(words_last[at]) : samples_of(pairs_last[at]), kShift);
}
ivec4 load_older(int x, int y) {
  const uint at = place(x, y, p.stride_c);
  return shifted(kBytes == 1 ? samples_of(words_older[at]) : samples_of(pairs_older[at]), kShift);
}

// The samples from x - 4 to x + 7 of a row, the last of the row repeated behind it. In cells alone that
// counts.
void load_row(int x, int y, out int row[12]) {
  const ivec4 left = load_now(x - 4, y), middle = load_now(x, y), right = load_now(x + 4, y);
  [[unroll]] for (int k = 0; k < 4; ++k) {
    row[k] = left[k];
    row[4 + k] = middle[k];
    row[8 + k] = right[k];
  }
  if (!kInCells) return;
  [[unroll]] for (int k = 5; k < 12; ++k) row[k] = x - 4 + k < int(p.width) ? row[k] : row[k - 1];
}

// Whether something at (x, y) is not of the picture's edge, as far as the block that has it meets that.
// Needs: in the tile.
bool is_inner(int x, int y) {
  const int edge = kInCells ? 2 : 1;
  const ivec2 block = ivec2(kBlockWidth, kBlockHeight), size = ivec2(p.width, p.height), at = ivec2(x, y);
  const bvec2 is_last = greaterThanEqual((at / block + 1) * block, size);
  const ivec2 end = ivec2(is_last.x ? size.x - edge : size.x, is_last.y ? size.y - edge : size.y);
  return x >= edge && y >= edge && x < end.x && y < end.y;
}

// The sum of |f| of the four samples from (x, y) on.
uint detail_of_samples(int x, int y) {
  int above[12], here[12], below[12];
  load_row(x, y - 1, above);
  load_row(x, y, here);
  load_row(x, y + 1, below);
  uint total = 0;
  [[unroll]] for (int k = 0; k < 4; ++k) {
    const int i = 4 + k;
    const int sides = here[i - 1] + here[i + 1] + above[i] + below[i];
    const int diagonals = above[i - 1] + above[i + 1] + below[i - 1] + below[i + 1];
    total += is_inner(x + k, y) ? uint(abs(12 * here[i] - 2 * sides - diagonals)) : 0;
  }
  return total;
}

// Contributions of two rows with the same taps to the filtered cells at x and at x + 2. `taps` are those of
// the columns from the cell outwards.
ivec2 filtered_rows(int x, int y, int other, ivec3 taps) {
  int row[12], opposite[12];
  load_row(x, y, row);
  load_row(x, other, opposite);
  ivec2 sums;
  [[unroll]] for (int k = 0; k < 2; ++k) {
    const int i = 4 + 2 * k;
    const int inner = row[i] + row[i + 1] + opposite[i] + opposite[i + 1];
    const int middle = row[i - 1] + row[i + 2] + opposite[i - 1] + opposite[i + 2];
    const int outer = row[i - 2] + row[i + 3] + opposite[i - 2] + opposite[i + 3];
    sums[k] = taps.x * inner + taps.y * middle + taps.z * outer;
  }
  return sums;
}

// The sum of |f| of both cells from (x, y) on.
uint detail_of_cells(int x, int y) {
  const ivec2 f = filtered_rows(x, y - 2, y + 3, ivec3(-1, -1, 0)) +
                  filtered_rows(x, y - 1, y + 2, ivec3(-3, -2, -1)) +
                  filtered_rows(x, y, y + 1, ivec3(12, -3, -1));
  return (is_inner(x, y) ? uint(abs(f.x)) : 0) + (is_inner(x + 2, y) ? uint(abs(f.y)) : 0);
}

// Samples, or sums of cells in the first two components. Columns behind the last sample are 0.
ivec4 values_of(ivec4 upper, ivec4 lower, int x) {
  const int width = int(p.width);
  if (kInCells) {
    ivec4 sum = upper + lower;
    sum.y = x + 1 < width ? sum.y : sum.x;
    sum.w = x + 3 < width ? sum.w : sum.z;
    return ivec4(sum.x + sum.y, x + 2 < width ? sum.z + sum.w : 0, 0, 0);
  }
  return ivec4(upper.x, x + 1 < width ? upper.y : 0, x + 2 < width ? upper.z : 0,
               x + 3 < width ? upper.w : 0);
}

uint magnitude(ivec4 v) {
  v = abs(v);
  return uint(v.x + v.y + v.z + v.w);
}

void main() {
  const Tile tile = own_tile(ivec2(p.width, p.height));
  if (gl_LocalInvocationIndex == 0) tile_spatial = tile_from_none = tile_from_one = tile_from_two = 0;
  barrier();

  const uint row_vectors = kBlockWidth / kVector, row_step = kInCells ? 2 : 1;
  uint spatial = 0, from_none = 0, from_one = 0, from_two = 0;
  for (uint i = gl_LocalInvocationIndex; i < row_vectors * (kTileRows / row_step); i += kGroup) {
    const int x = tile.start.x + int(i % row_vectors * kVector),
              y = tile.start.y + int(i / row_vectors * row_step);
    if (x >= tile.end.x || y >= tile.end.y) continue;
    spatial += kInCells ? detail_of_cells(x, y) : detail_of_samples(x, y);
    const int next = kInCells ? y + 1 : y;
    const ivec4 now = values_of(load_now(x, y), load_now(x, next), x);
    const ivec4 last = values_of(load_last(x, y), load_last(x, next), x);
    from_none += magnitude(now);
    if (kIsSecondOrder) {
      const ivec4 older = values_of(load_older(x, y), load_older(x, next), x);
      from_one += magnitude(now - 2 * last);
      from_two += magnitude(now - 2 * last + older);
    } else {
      from_one += magnitude(now - last);
    }
  }
  atomicAdd(tile_spatial, spatial);
  atomicAdd(tile_from_none, from_none);
  atomicAdd(tile_from_one, from_one);
  if (kIsSecondOrder) atomicAdd(tile_from_two, from_two);
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    sums[sum_index(p.first_sum)] = TileActivity(tile_spatial, tile_from_none, tile_from_one, tile_from_two);
  }
}
