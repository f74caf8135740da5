// The part of a picture that shows anything: what is left of it without black bars. In two stages, which
// every backend computes to the same integers: lit samples are counted, row by row and column by column, and
// the counts say where the part begins and ends.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame.h"

namespace vq {

struct Execution;

// By how much, in levels of 8-bit video, a sample must exceed black to be lit: compression lifts black.
inline constexpr int kLitSlack = 8;
// Shares are told in millionths. A row or column is dark as long as no larger share of it is lit: noise, or a
// logo.
inline constexpr int kWholeShare = 1'000'000;
inline constexpr int kLitTolerance = kWholeShare / 100;

// What counts as lit in the pictures of one video.
struct LitRule {
  int black = 0;         // the highest level of a sample that is not
  int row_limit = 0;     // the most lit samples of a row that is not
  int column_limit = 0;  // of a column
};

// Video whose range is not known counts as limited. Needs: a slack of at most 219, the steps from black to
// white; a tolerance of at most kWholeShare.
LitRule lit_rule(const VideoFormat& format, int slack = kLitSlack, int tolerance = kLitTolerance);

// How many samples are lit, and the memory that counting them takes.
struct NonBlackCounts {
  NonBlackCounts(int width, int height)
      : rows(static_cast<size_t>(height)),
        columns(static_cast<size_t>(width)),
        scratch(static_cast<size_t>(width)) {}
  std::vector<uint16_t> rows, columns;
  std::vector<uint8_t> scratch;  // a column's in some rows
};
static_assert(kMaxSide <= UINT16_MAX);

// From the first lit row and column to behind the last. Without any lit row `top` and `bottom` are 0, without
// any lit column `left` and `right`.
struct ActiveArea {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const ActiveArea&) const = default;

  bool has_rows() const { return bottom > 0; }
  bool has_columns() const { return right > 0; }
};

// Counts the samples above `black` of each row and of each column.
// Shapes: luma of any stride and alignment and without guards, of which nothing beyond its rows is read;
// counts of its size, at most kMaxSide. Range: `black` is one of its levels. Throws nothing, allocates
// nothing.
using CountLit = void (*)(const SampleView& luma, int black, NonBlackCounts& counts);

namespace scalar {
// The readable reference, in ordinary C++.
void count_non_black(const SampleView& luma, int black, NonBlackCounts& counts);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
CountLit count_lit_for(int64_t target);
}  // namespace simd

// As the execution says.
CountLit count_lit_for(const Execution& execution);

// A row is lit where its count is above rule.row_limit, a column where its count, which is of all rows, is
// above rule.column_limit.
ActiveArea active_area(const NonBlackCounts& counts, const LitRule& rule);

}  // namespace vq
