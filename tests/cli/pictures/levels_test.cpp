#include "cli/pictures/levels.h"

#include <gmock/gmock.h>

#include <numeric>

namespace vq::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

HistogramInfo info(int bins, int low, int high) {
  return {.name = "y", .bins = bins, .low = low, .high = high};
}

TEST(Levels, AHistogramIsDrawnInSharesOfEqualParts) {
  std::vector<uint64_t> counts(1024);
  counts[0] = 1;
  counts[7] = 1;
  counts[8] = 1;
  counts[1023] = 5;
  const DrawnHistogram result = drawn(info(1024, 7, 1023), counts);
  ASSERT_THAT(result.shares, SizeIs(kDrawnBins));
  EXPECT_EQ(result.shares[0], 2500);
  EXPECT_EQ(result.shares[1], 1250);
  EXPECT_EQ(result.shares[127], 6250);
  EXPECT_EQ(std::accumulate(result.shares.begin(), result.shares.end(), 0), 10000);
  EXPECT_EQ(result.clipped_low, 2.0 / 8);
  EXPECT_EQ(result.clipped_high, 5.0 / 8);
}

TEST(Levels, FewBinsAreDrawnAsTheyAre) {
  EXPECT_THAT(drawn(info(3, 0, 2), std::vector<uint64_t>{1, 2, 1}).shares, ElementsAre(2500, 5000, 2500));
}

TEST(Levels, FollowThePercentilesOfEveryFrame) {
  LevelRecorder recorder({info(4, 0, 3), info(4, 0, 3)});
  recorder.add(std::vector<std::vector<uint32_t>>{{1, 98, 0, 1}, {0, 0, 7, 0}});
  recorder.add(std::vector<std::vector<uint32_t>>{{0, 50, 50, 0}, {2, 2, 0, 100}});
  const auto& [y, other] = std::tie(recorder.channels()[0], recorder.channels()[1]);
  EXPECT_THAT(y.p1, ElementsAre(0, 1));
  EXPECT_THAT(y.p50, ElementsAre(1, 1));
  EXPECT_THAT(y.p99, ElementsAre(1, 2));
  EXPECT_THAT(y.counts, ElementsAre(1, 148, 50, 1));
  EXPECT_THAT(other.p1, ElementsAre(2, 0));
  EXPECT_THAT(other.p99, ElementsAre(2, 3));
}

}  // namespace
}  // namespace vq::cli
