// What is worked out before the first frame, and what becomes of sums: sizes, logarithms, scores.
#include "feature/vif/vif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vq::vif {
namespace {

using ::testing::ElementsAre;

VideoFormats formats_of(int width, int height, int distorted_depth = 8, int reference_depth = 8) {
  return {{.name = "show.mkv", .width = width, .height = height, .bit_depth = distorted_depth},
          VideoFormat{.name = "master.mov", .width = width, .height = height, .bit_depth = reference_depth}};
}

TEST(VifPlan, HalvesThePictureThreeTimes) {
  const VifPlan plan = Vif::make_plan({}, formats_of(31, 200));
  EXPECT_THAT(plan.sizes,
              ElementsAre(PlaneSize{31, 200}, PlaneSize{15, 100}, PlaneSize{7, 50}, PlaneSize{3, 25}));
}

TEST(VifLogTable, DropsWhatIsBelowSixteenBits) {
  const LogTable& table = LogTable::get();
  EXPECT_EQ(table.log2(131072), 17 * 2048);
  EXPECT_EQ(table.log2(131075), 17 * 2048);
  EXPECT_EQ(table.log2((uint64_t{65535} << 15) + 32767), table.at(65535) + 15 * 2048);
}

TEST(VifFilters, GoOnBeyondEdgesByReflection) {
  for (const WordFilter& filter : kFilters) {
    int sum = filter.tap(0);
    for (int k = 1; k <= filter.radius; ++k) sum += filter.tap(k) + filter.tap(-k);
    EXPECT_EQ(sum, 65536);
  }
  EXPECT_EQ(reflected(-3, 10), 3);
  EXPECT_EQ(reflected(12, 10), 6);
  EXPECT_EQ(reflected(-5, 3), 1);
  EXPECT_EQ(reflected(6, 3), 2);
  EXPECT_EQ(reflected(-8, 2), 0);
  EXPECT_EQ(reflected(7, 1), 0);
}

// Libraries are off by less than one unit of the last place.
constexpr int kMostUnits = 8;

int32_t entry(double log2) {
  return static_cast<int32_t>(std::floor(2048.0 * static_cast<double>(static_cast<float>(log2)) + 0.5));
}

// Functions of the C library, which differ in their last bits between libraries, decide nothing here.
TEST(LibraryMargin, LogarithmsOfTheTableAreFarFromWhereTheyRound) {
  for (int32_t i = LogTable::kFirst; i < LogTable::kEnd; ++i) {
    const int32_t expected = LogTable::get().at(i);
    double below = std::log2(static_cast<double>(i)), above = below;
    for (int unit = 0; unit <= kMostUnits; ++unit) {
      ASSERT_EQ(entry(below), expected) << i;
      ASSERT_EQ(entry(above), expected) << i;
      // Powers of two are exact in every library.
      if (i == LogTable::kFirst) break;
      below = std::nextafter(below, 0);
      above = std::nextafter(above, std::numeric_limits<double>::max());
    }
  }
}

}  // namespace
}  // namespace vq::vif
