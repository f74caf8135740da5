// What follows from a metric's description.
#include "core/metric_info.h"

#include <gtest/gtest.h>

namespace vq {
namespace {

TEST(MetricInfo, MeansOfWholeNumbersHaveDecimals) {
  EXPECT_EQ(mean_decimals({.decimals = 0}), 2);
  EXPECT_EQ(mean_decimals({.decimals = 2}), 2);
  EXPECT_EQ(mean_decimals({.decimals = 3}), 3);
}

}  // namespace
}  // namespace vq
