// A small thumbnail of a picture's luma, for recognising the picture in another encode of any size, depth or
// range. docs/alignment.md has the definition.
#pragma once

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

inline constexpr int kRowsOfCell = 4;   // maximum number of sampled rows per cell
inline constexpr int kColumnShare = 8;  // one column in this many is sampled

// A range of columns or rows of one of the kSignatureSide cells along a side.
struct Span {
  int first = 0;
  int count = 0;
  bool operator==(const Span&) const = default;
};
// The cell begins at floor(i * size / 8) and ends where the next begins, with at least one sample. Needs:
// size >= 1.
Span cell_span(int size, int i);
// The middle of the cell: ceil(count / kColumnShare) samples, with equal margins or one sample more on the
// right.
Span sampled_columns(Span cell);
// min(count, kRowsOfCell) rows, each in the middle of its share: the k-th of n is first + floor((2k + 1) *
// count / 2n).
int sampled_rows(Span cell);
int sampled_row(Span cell, int k);
// The sampled rows of all cells of a picture, from the top, and the sampled columns, from the left. Pictures
// of a few rows or columns have repetitions.
LumaLines sampled_lines(PlaneSize size);

// The sum of the sampled luma in each cell, row by row. Shapes: luma W x H, any stride and alignment, without
// guards: nothing outside its rows is read. Sides up to kMaxSide. Exact: every implementation gives the same
// integers. Throws: nothing.
using CellSums = void (*)(const SampleView& luma, std::array<uint32_t, kSignatureCells>& sums);

namespace scalar {
// The scalar reference.
void cell_sums(const SampleView& luma, std::array<uint32_t, kSignatureCells>& sums);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
CellSums cell_sums_for(int64_t target);
}  // namespace simd

// The implementation that `execution` asks for.
CellSums cell_sums_for(const Execution& execution);

}  // namespace signature

// For a picture with luma. Full range is converted to limited: 16 + 219 * v / (2^depth - 1); an unspecified
// range counts as limited. Levels are rounded to the nearest.
Signature signature_of(const Frame& frame, Range range, signature::CellSums cell_sums);
// The same for a picture of this format. RGB is weighed as BT.709 has it.
Signature signature_of(const Frame& frame, const VideoFormat& format, signature::CellSums cell_sums);

}  // namespace vq
