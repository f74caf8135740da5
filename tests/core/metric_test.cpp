// What follows from a metric's description.
#include "core/metric.h"
#include "tests/support/test.h"

namespace vq {

TEST(MetricInfo, MeansOfWholeNumbersHaveDecimals) {
  EXPECT_EQ(mean_decimals({.decimals = 0}), 2);
  EXPECT_EQ(mean_decimals({.decimals = 2}), 2);
  EXPECT_EQ(mean_decimals({.decimals = 3}), 3);
}

// Their distances from the mean are 3, 2, 1, 0 and 6; percentiles lie between two of them.
TEST(PooledScores, AreThoseOfAnExample) {
  const std::optional<PooledScores> pooled = pool_scores(std::vector<double>{9, 0, 3, 1, 2});
  ASSERT_TRUE(pooled);
  EXPECT_EQ(pooled->mean, 3);
  EXPECT_DOUBLE_EQ(pooled->harmonic_mean, 5 / (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 10) - 1);
  EXPECT_DOUBLE_EQ(pooled->stdev, std::sqrt(10));
  EXPECT_EQ(pooled->min, 0);
  EXPECT_EQ(pooled->max, 9);
  EXPECT_EQ(pooled->p50, 2);
  EXPECT_DOUBLE_EQ(pooled->p90, 3 + 0.6 * 6);
  EXPECT_DOUBLE_EQ(pooled->p95, 3 + 0.8 * 6);
  EXPECT_DOUBLE_EQ(pooled->p99, 3 + 0.96 * 6);
}

TEST(PooledScores, OfOneScoreAreThatScore) {
  const std::optional<PooledScores> pooled = pool_scores(std::vector<double>{7});
  ASSERT_TRUE(pooled);
  for (const double figure :
       {pooled->mean, pooled->harmonic_mean, pooled->min, pooled->max, pooled->p50, pooled->p99}) {
    EXPECT_DOUBLE_EQ(figure, 7);
  }
  EXPECT_EQ(pooled->stdev, 0);
}

TEST(PooledScores, OfWhatIsNotANumberAreNoNumbers) {
  EXPECT_FALSE(pool_scores({}));
  const std::optional<PooledScores> pooled = pool_scores(std::vector<double>{1, NAN, 2});
  ASSERT_TRUE(pooled);
  for (const double figure : {pooled->mean, pooled->harmonic_mean, pooled->stdev, pooled->min, pooled->max,
                              pooled->p50, pooled->p90, pooled->p95, pooled->p99}) {
    EXPECT_TRUE(std::isnan(figure));
  }
}

}  // namespace vq
