#include "feature/lit_area.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "feature/simd_targets.h"
#include "tests/support/stage_test.h"

namespace vq {
namespace {

using vq::test::Luma;
using ::testing::Each;
using ::testing::ElementsAre;

struct Implementation {
  std::string name;
  CountLit count_lit;
};

// All that this machine can run.
std::vector<Implementation> implementations() {
  std::vector<Implementation> found = {{"scalar", scalar::count_lit}};
  for (const SimdTarget& target : allowed_simd_targets(0)) {
    found.push_back({target.name, simd::count_lit_for(target.id)});
  }
  return found;
}

// With counts of another picture in what it writes to.
LitCounts counted(const Implementation& implementation, const SampleView& luma, int black) {
  LitCounts counts(luma.width(), luma.height());
  for (std::vector<uint16_t>* const all : {&counts.rows, &counts.columns}) std::fill(all->begin(), all->end(), uint16_t{77});
  std::fill(counts.scratch.begin(), counts.scratch.end(), uint8_t{78});
  implementation.count_lit(luma, black, counts);
  return counts;
}

// A plane whose memory ends with its last sample, so that sanitizers see who reads on; noise between its rows.
template <typename T>
struct Decoded {
  Decoded(int width, int height, int padding, unsigned seed)
      : samples(static_cast<size_t>(width + padding) * static_cast<size_t>(height - 1) + static_cast<size_t>(width) + 1) {
    std::minstd_rand random(seed);
    for (T& sample : samples) sample = static_cast<T>(random() >> 7);
    view.data = samples.data() + 1;
    view.width = width;
    view.height = height;
    view.stride = width + padding;
  }
  SampleView luma() const {
    SampleView luma;
    if constexpr (sizeof(T) == 1) {
      luma.u8 = view;
    } else {
      luma.u16 = view;
    }
    return luma;
  }
  std::vector<T> samples;
  PlaneView<T> view;
};

TEST(CountLit, CountsWhatIsAboveBlackInRowsAndColumns) {
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    Decoded<uint8_t> bytes(5, 3, 2, 1);
    Decoded<uint16_t> words(5, 3, 2, 1);
    const int levels[3][5] = {{0, 16, 24, 25, 255}, {24, 24, 24, 24, 24}, {25, 0, 0, 200, 26}};
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 5; ++x) {
        bytes.view.row(y)[x] = static_cast<uint8_t>(levels[y][x]);
        words.view.row(y)[x] = static_cast<uint16_t>(levels[y][x] * 256);
      }
    }
    for (const LitCounts& counts : {counted(implementation, bytes.luma(), 24), counted(implementation, words.luma(), 24 * 256)}) {
      EXPECT_THAT(counts.rows, ElementsAre(2, 0, 3));
      EXPECT_THAT(counts.columns, ElementsAre(1, 0, 0, 2, 2));
    }
  }
}

// Rows as long as a vector or not, of all lengths up to two of the longest; heights around those after which counts in
// bytes are emptied.
template <typename T>
void compare_with_scalar(int black) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; ++width) {
      const int height = width % 40 == 0 ? 254 + width / 40 : 1 + width * 7 % 11;
      const Decoded<T> plane(width, height, width % 5, static_cast<unsigned>(width));
      const LitCounts expected = counted({"", scalar::count_lit}, plane.luma(), black);
      const LitCounts found = counted(implementation, plane.luma(), black);
      ASSERT_EQ(found.rows, expected.rows) << implementation.name << ", " << width << "x" << height << ", " << black;
      ASSERT_EQ(found.columns, expected.columns) << implementation.name << ", " << width << "x" << height << ", " << black;
    }
  }
}

TEST(CountLit, EveryImplementationEqualsScalar) {
  for (const int black : {0, 24, 127, 128, 254, 255}) compare_with_scalar<uint8_t>(black);
  for (const int black : {0, 24, 6144, 32767, 32768, 65534, 65535}) compare_with_scalar<uint16_t>(black);
}

TEST(CountLit, CountsEachSampleOnce) {
  for (const Implementation& implementation : implementations()) {
    for (int width = 1; width <= 130; ++width) {
      Luma<uint8_t> bytes(width, 3, width + 3);
      Luma<uint16_t> words(width, 3, width + 3);
      for (const int x : {0, width / 2, width - 1}) {
        bytes.plane.row(1)[x] = words.plane.row(1)[x] = 200;
        for (const LitCounts& counts : {counted(implementation, bytes.view(), 24), counted(implementation, words.view(), 24)}) {
          ASSERT_THAT(counts.rows, ElementsAre(0, 1, 0)) << implementation.name << ", x=" << x << " of " << width;
          ASSERT_EQ(std::count(counts.columns.begin(), counts.columns.end(), 0), width - 1);
          ASSERT_EQ(counts.columns[static_cast<size_t>(x)], 1);
        }
        bytes.plane.row(1)[x] = words.plane.row(1)[x] = 0;
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
      SampleView of_bytes, of_words;
      of_bytes.u8 = {bytes.data(), width, height, 0};
      of_words.u16 = {words.data(), width, height, 0};
      for (const LitCounts& counts : {counted(implementation, of_bytes, 24), counted(implementation, of_words, 24 << 8)}) {
        EXPECT_THAT(counts.rows, Each(width));
        EXPECT_THAT(counts.columns, Each(height));
      }
    }
  }
}

LitCounts counts_of(std::vector<uint16_t> rows, std::vector<uint16_t> columns) {
  LitCounts counts(static_cast<int>(columns.size()), static_cast<int>(rows.size()));
  counts.rows = std::move(rows);
  counts.columns = std::move(columns);
  return counts;
}

TEST(LitAreaStage, GoesFromTheFirstLitRowAndColumnToTheLast) {
  const LitRule rule = {.black = 24, .row_limit = 2, .column_limit = 1};
  EXPECT_EQ(lit_area(counts_of({2, 3, 0, 9, 2}, {0, 1, 2, 0, 0, 5}), rule), (LitArea{.left = 2, .top = 1, .right = 6, .bottom = 4}));
  EXPECT_EQ(lit_area(counts_of({3}, {2}), rule), (LitArea{.left = 0, .top = 0, .right = 1, .bottom = 1}));
  EXPECT_EQ(lit_area(counts_of({2, 2}, {0, 2, 0}), rule), (LitArea{.left = 1, .top = 0, .right = 2, .bottom = 0}));
  EXPECT_EQ(lit_area(counts_of({2, 9}, {0, 1, 0}), rule), (LitArea{.left = 0, .top = 1, .right = 0, .bottom = 2}));
  EXPECT_EQ(lit_area(counts_of({0, 2}, {1, 1, 1}), rule), LitArea());
}

TEST(LitAreaStage, KnowsWhetherThereAreRowsAndColumns) {
  EXPECT_FALSE(LitArea().has_rows() || LitArea().has_columns());
  EXPECT_TRUE((LitArea{.top = 0, .bottom = 1}.has_rows()));
  EXPECT_TRUE((LitArea{.left = 0, .right = 1}.has_columns()));
}

VideoFormat format_of(int width, int height, int depth, Range range) {
  VideoFormat format;
  format.width = width;
  format.height = height;
  format.bit_depth = depth;
  format.range = range;
  return format;
}

TEST(LitRule, IsScaledToDepthAndRange) {
  EXPECT_EQ(lit_rule(format_of(640, 360, 8, Range::kLimited)).black, 24);
  EXPECT_EQ(lit_rule(format_of(640, 360, 8, Range::kUnspecified)).black, 24);
  EXPECT_EQ(lit_rule(format_of(640, 360, 8, Range::kFull)).black, 8);
  EXPECT_EQ(lit_rule(format_of(640, 360, 10, Range::kLimited)).black, 96);
  EXPECT_EQ(lit_rule(format_of(640, 360, 16, Range::kFull), 5).black, 5 * 256);
  EXPECT_EQ(lit_rule(format_of(640, 360, 16, Range::kLimited), 219).black, 235 * 256);
}

// Lit where more than the share is, in whole numbers: at 1 %, where a hundred times the count exceeds the side.
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
