// A small thumbnail of a picture's luma, by which pictures are told apart and found again in another video:
// in an encode of another size, depth or range. docs/alignment.md has the definition.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/frame.h"

namespace vq {

struct Execution;

inline constexpr int kSignatureSide = 8;
inline constexpr int kSignatureCells = kSignatureSide * kSignatureSide;

// The mean luma of each cell, row by row, in sixteenths of a level of limited 8-bit video: 256 is black and
// 3760 white, whatever the depth and range of the video.
struct Signature {
  std::array<uint16_t, kSignatureCells> levels = {};
  bool operator==(const Signature&) const = default;
};

namespace signature {

inline constexpr int kRowsOfCell = 4;   // of each cell at most so many are looked at,
inline constexpr int kColumnShare = 8;  // and of these one sample in so many

// What is looked at along one side of the picture for one of the kSignatureSide cells.
struct Span {
  int first = 0;
  int count = 0;
  bool operator==(const Span&) const = default;
};
// The cell begins at floor(i * size / 8) and ends where the next begins, with one sample at least. Needs:
// size >= 1.
Span cell_span(int size, int i);
// The middle of the cell: ceil(count / kColumnShare) samples, as many on either side of them, or one more
// behind.
Span sampled_columns(Span cell);
// min(count, kRowsOfCell) rows, each in the middle of its share: the k-th of n is first + floor((2k + 1) *
// count / 2n).
int sampled_rows(Span cell);
int sampled_row(Span cell, int k);
// Those of all cells of a picture, from the top: kSignatureSide times as many as of a cell, but for pictures
// of a few rows.
std::vector<int> sampled_rows_of(int height);

// The sum of the samples that are looked at, for each cell row by row.
// Shapes: luma W x H, any stride and alignment, without guards: nothing beyond its rows is read. Sides up to
// kMaxSide. Exact: every implementation gives the same integers. Throws: nothing.
using CellSums = void (*)(const SampleView& luma, std::array<uint32_t, kSignatureCells>& sums);

namespace scalar {
// The readable reference, in ordinary C++.
void cell_sums(const SampleView& luma, std::array<uint32_t, kSignatureCells>& sums);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
CellSums cell_sums_for(int64_t target);
}  // namespace simd

// As the execution says.
CellSums cell_sums_for(const Execution& execution);

}  // namespace signature

// Of a picture that has luma. Full range is brought to limited: 16 + 219 * v / (2^depth - 1); an unspecified
// range counts as limited. Levels are rounded to the nearest.
Signature signature_of(const Frame& frame, Range range, signature::CellSums cell_sums);

}  // namespace vq
