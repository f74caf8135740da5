#include "feature/active_area.h"

#include "tests/support/decoded_plane.h"
#include "tests/support/implementations.h"

namespace vq {
namespace {

using namespace vq::test;

using Implementation = vq::test::Implementation<CountLit>;

std::vector<Implementation> implementations() {
  return vq::test::all_implementations(CountLit{scalar::count_non_black}, simd::count_non_black_for);
}

// With counts of another picture in what it writes to.
NonBlackCounts counted(const Implementation& implementation, const SampleView& luma, int black) {
  NonBlackCounts counts(luma.width(), luma.height());
  for (std::vector<uint16_t>* const all : {&counts.rows, &counts.columns})
    std::fill(all->begin(), all->end(), uint16_t{77});
  std::fill(counts.scratch.begin(), counts.scratch.end(), uint8_t{78});
  implementation(luma, black, counts);
  return counts;
}

TEST(CountLit, CountsWhatIsAboveBlackInRowsAndColumns) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const int levels[3][5] = {{0, 16, 24, 25, 255}, {24, 24, 24, 24, 24}, {25, 0, 0, 200, 26}};
    const DecodedPlane bytes = DecodedPlane(5, 3, 8).fill([&](int x, int y) { return levels[y][x]; });
    const DecodedPlane words = DecodedPlane(5, 3, 16).fill([&](int x, int y) { return levels[y][x] * 256; });
    for (const NonBlackCounts& counts :
         {counted(implementation, bytes.view(), 24), counted(implementation, words.view(), 24 * 256)}) {
      EXPECT_THAT(counts.rows, ElementsAre(2, 0, 3));
      EXPECT_THAT(counts.columns, ElementsAre(1, 0, 0, 2, 2));
    }
  }
}

// Rows as long as a vector or not, of all lengths up to two of the longest; heights around those after which
// counts in bytes are emptied.
void compare_with_scalar(int depth, int black) {
  for (int width = 1; width <= 130; ++width) {
    const int height = width % 40 == 0 ? 254 + width / 40 : 1 + width * 7 % 11;
    const DecodedPlane plane = noise_plane({width, height}, depth, static_cast<unsigned>(width));
    const std::string where =
        std::to_string(width) + "x" + std::to_string(height) + ", " + std::to_string(black);
    vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
      const NonBlackCounts counts = counted(one, plane.view(), black);
      return std::pair(counts.rows, counts.columns);
    });
  }
}

TEST(CountLit, EveryImplementationEqualsScalar) {
  for (const int black : {0, 24, 127, 128, 254, 255}) compare_with_scalar(8, black);
  for (const int black : {0, 24, 6144, 32767, 32768, 65534, 65535}) compare_with_scalar(16, black);
}

TEST(CountLit, CountsEachSampleOnce) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; ++width) {
      DecodedPlane bytes = DecodedPlane(width, 3, 8).flat(0), words = DecodedPlane(width, 3, 16).flat(0);
      for (const int x : {0, width / 2, width - 1}) {
        for (DecodedPlane* plane : {&bytes, &words}) plane->set(x, 1, 200);
        for (const NonBlackCounts& counts :
             {counted(implementation, bytes.view(), 24), counted(implementation, words.view(), 24)}) {
          ASSERT_THAT(counts.rows, ElementsAre(0, 1, 0))
              << implementation.name << ", x=" << x << " of " << width;
          ASSERT_EQ(std::ranges::count(counts.columns, 0), width - 1);
          ASSERT_EQ(counts.columns[static_cast<size_t>(x)], 1);
        }
        for (DecodedPlane* plane : {&bytes, &words}) plane->set(x, 1, 0);
      }
    }
  }
}

// One row or column of white for all of a plane with the longest of either.
TEST(CountLit, HasRoomForTheLargestPlane) {
  const std::vector<uint8_t> bytes(kMaxSide, 255);
  const std::vector<uint16_t> words(kMaxSide, 65535);
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    for (const auto& [width, height] : {std::pair{kMaxSide, 3}, {70, kMaxSide}}) {
      const SampleView of_bytes = sample_view<uint8_t>({bytes.data(), width, height, 0});
      const SampleView of_words = sample_view<uint16_t>({words.data(), width, height, 0});
      for (const NonBlackCounts& counts :
           {counted(implementation, of_bytes, 24), counted(implementation, of_words, 24 << 8)}) {
        EXPECT_THAT(counts.rows, Each(width));
        EXPECT_THAT(counts.columns, Each(height));
      }
    }
  }
}

NonBlackCounts counts_of(std::vector<uint16_t> rows, std::vector<uint16_t> columns) {
  NonBlackCounts counts(static_cast<int>(columns.size()), static_cast<int>(rows.size()));
  counts.rows = std::move(rows);
  counts.columns = std::move(columns);
  return counts;
}

TEST(ActiveAreaStage, GoesFromTheFirstLitRowAndColumnToTheLast) {
  const LitRule rule = {.black = 24, .row_limit = 2, .column_limit = 1};
  EXPECT_EQ(active_area(counts_of({2, 3, 0, 9, 2}, {0, 1, 2, 0, 0, 5}), rule),
            (ActiveArea{.left = 2, .top = 1, .right = 6, .bottom = 4}));
  EXPECT_EQ(active_area(counts_of({3}, {2}), rule),
            (ActiveArea{.left = 0, .top = 0, .right = 1, .bottom = 1}));
  EXPECT_EQ(active_area(counts_of({2, 2}, {0, 2, 0}), rule),
            (ActiveArea{.left = 1, .top = 0, .right = 2, .bottom = 0}));
  EXPECT_EQ(active_area(counts_of({2, 9}, {0, 1, 0}), rule),
            (ActiveArea{.left = 0, .top = 1, .right = 0, .bottom = 2}));
  EXPECT_EQ(active_area(counts_of({0, 2}, {1, 1, 1}), rule), ActiveArea());
}

TEST(ActiveAreaStage, KnowsWhetherThereAreRowsAndColumns) {
  EXPECT_FALSE(ActiveArea().has_rows() || ActiveArea().has_columns());
  EXPECT_TRUE((ActiveArea{.top = 0, .bottom = 1}.has_rows()));
  EXPECT_TRUE((ActiveArea{.left = 0, .right = 1}.has_columns()));
}

VideoFormat format_of(int width, int height, int depth, Range range) {
  return {.name = "", .width = width, .height = height, .bit_depth = depth, .range = range};
}

TEST(LitRule, IsScaledToDepthAndRange) {
  EXPECT_EQ(lit_rule(format_of(640, 360, 8, Range::kLimited)).black, 24);
  EXPECT_EQ(lit_rule(format_of(640, 360, 8, Range::kUnspecified)).black, 24);
  EXPECT_EQ(lit_rule(format_of(640, 360, 8, Range::kFull)).black, 8);
  EXPECT_EQ(lit_rule(format_of(640, 360, 10, Range::kLimited)).black, 96);
  EXPECT_EQ(lit_rule(format_of(640, 360, 16, Range::kFull), 5).black, 5 * 256);
  EXPECT_EQ(lit_rule(format_of(640, 360, 16, Range::kLimited), 219).black, 235 * 256);
}

// Lit where more than the share is, in whole numbers: at 1 %, where a hundred times the count exceeds the
// side.
TEST(LitRule, RoundsNothing) {
  for (int side = 1; side <= kMaxSide; ++side) {
    const LitRule rule = lit_rule(format_of(side, side, 8, Range::kLimited));
    ASSERT_TRUE(rule.row_limit * 100 <= side && (rule.row_limit + 1) * 100 > side) << side;
    ASSERT_EQ(rule.column_limit, rule.row_limit);
  }
  const LitRule rule = lit_rule(format_of(300, 7, 8, Range::kLimited), 8, kWholeShare / 2);
  EXPECT_EQ(rule.row_limit, 150);
  EXPECT_EQ(rule.column_limit, 3);
}

}  // namespace
}  // namespace vq
