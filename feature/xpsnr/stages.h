// The stages of XPSNR: sums over the blocks of a picture. They are exact: every implementation gives the same
// integers. They never throw and never allocate.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/xpsnr/blocks.h"

namespace vq::xpsnr {

// A plane as decoded, of any stride and alignment and without guards: nothing beyond its rows is read. Each
// sample is shifted left by `shift`, 0..8, to the depth it is compared at, which is at most 16 bits; bits
// above these are lost.
struct Samples {
  SampleView view;
  int shift = 0;
};

// Luma of the reference. An empty picture before is black: all zeros.
struct History {
  Samples now;
  std::array<SampleView, 2> before = {};  // the latest first; of the type and with the shift of `now`
};

// Work memory for the rows of pictures of that width or a smaller one.
struct Rows {
  explicit Rows(int width);
  static int64_t bytes(int width);

  static constexpr int kRing = 8;  // rows of a picture that are at hand, a power of two
  Plane<uint16_t> now, before;     // kRing rows; two of each frame before, and one of zeros
  Plane<uint32_t> columns;         // two rows of sums
};

// Fills `out`, one for each block, with what blocks.h describes:
//   f = 12 o - 2 (left + right + up + down) - (the four diagonals);
//   in cells, with the cell's upper left sample at (x, y): rows y-2 and y+3 count -1 from x-1 to x+2, rows
//   y-1 and y+2 count -1 -2 -3 -3 -2 -1 from x-2 to x+3, rows y and y+1 count -1 -3 12 12 -3 -1 there;
//   t = o - before[0], of second order o - 2 before[0] + before[1], in cells the sum of four.
// A block whose part without the edge is empty has no spatial sum. Border: repeated, where cells stick out.
// Needs: sides of at most kMaxSide, blocks of even sides.
using BlockActivities = void (*)(const ActivityForm& form, const History& pictures, Rows& rows,
                                 std::span<Activity> out);

// Fills `out`, one for each block, with the sums of (a - b)^2. Needs: two planes of the grid's size, sides of
// at most kMaxSide.
using BlockErrors = void (*)(const Grid& grid, const std::array<Samples, 2>& planes, Rows& rows,
                             std::span<uint64_t> out);

namespace scalar {
// The readable reference, in ordinary C++.
void block_activities(const ActivityForm& form, const History& pictures, Rows& rows, std::span<Activity> out);
void block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows& rows,
                  std::span<uint64_t> out);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
BlockActivities block_activities_for(int64_t target);
BlockErrors block_errors_for(int64_t target);
}  // namespace simd

}  // namespace vq::xpsnr
