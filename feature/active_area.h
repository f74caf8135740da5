// The part of a picture inside its black bars. Computed in two stages, with integers that are the same on
// every backend: non-black samples are counted for each row and column, then the counts give the borders.
#pragma once

#include "core/frame.h"

namespace vq {

struct Execution;

// Levels (of 8-bit video) by which a sample must exceed black to count as lit: compression lifts black.
inline constexpr int kLitSlack = 8;
// Tolerances are in millionths. A row or column is dark if at most this share of its samples is lit: noise,
// or a logo.
inline constexpr int kWholeShare = 1'000'000;
inline constexpr int kLitTolerance = kWholeShare / 100;

// The rule by which samples of a video's pictures count as lit.
struct LitRule {
  int black = 0;         // the highest level of a dark sample
  int row_limit = 0;     // the highest number of lit samples in a dark row
  int column_limit = 0;  // the same for a column
};

// Video of unspecified range counts as limited. Needs: a slack of at most 219, the number of steps from black
// to white; a tolerance of at most kWholeShare.
LitRule lit_rule(const VideoFormat& format, int slack = kLitSlack, int tolerance = kLitTolerance);

// The number of lit samples of each row and column, and the scratch memory for counting them.
struct NonBlackCounts {
  NonBlackCounts(int width, int height)
      : rows(static_cast<size_t>(height)),
        columns(static_cast<size_t>(width)),
        scratch(static_cast<size_t>(width)) {}
  std::vector<uint16_t> rows, columns;
  std::vector<uint8_t> scratch;  // counts of a column over some of the rows
};
static_assert(kMaxSide <= UINT16_MAX);

// The lit rows and columns, the end exclusive. Without any lit row `top` and `bottom` are 0, without any lit
// column `left` and `right` are.
struct ActiveArea {
  int left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const ActiveArea&) const = default;

  bool has_rows() const { return bottom > 0; }
  bool has_columns() const { return right > 0; }
};

// Counts the samples above `black` of each row and of each column. Shapes: luma of any stride and alignment,
// without guards; nothing outside its rows is read; counts of its size, at most kMaxSide. Range: `black` is
// one of its levels. Throws nothing, allocates nothing.
using CountLit = void (*)(const SampleView& luma, int black, NonBlackCounts& counts);

namespace scalar {
// The scalar reference.
void count_non_black(const SampleView& luma, int black, NonBlackCounts& counts);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
CountLit count_non_black_for(int64_t target);
}  // namespace simd

// The implementation that `execution` asks for.
CountLit count_lit_for(const Execution& execution);

// A row is lit if its count exceeds rule.row_limit. A column is lit if its count, over all rows, exceeds
// rule.column_limit.
ActiveArea active_area(const NonBlackCounts& counts, const LitRule& rule);

}  // namespace vq
