// Metrics by the names that reports have, and what their descriptions say of each other.
#include "engine/known_metrics.h"
#include "feature/feature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vq {
namespace {

TEST(Registry, FindsTheFeatureOfAMetric) {
  for (const FeatureInfo* info : features()) {
    for (const MetricInfo& metric : info->metrics) {
      const std::string name(metric.name);
      EXPECT_TRUE(is_known(metric)) << name;
      EXPECT_EQ(feature_of_metric({name, {}}), info) << name;
      EXPECT_EQ(feature_of_metric({name + "_option_1", {}}), info) << name;
    }
  }
  EXPECT_EQ(feature_of_metric({"unheard_of", {}}), nullptr);
}

TEST(Registry, MetricsReferToMetricsOfTheirFeature) {
  size_t referring = 0;
  for (const FeatureInfo* info : features()) {
    for (const MetricInfo& metric : info->metrics) {
      for (const std::string_view other : {metric.reference_of, metric.excess_of}) {
        if (other.empty()) continue;
        ++referring;
        EXPECT_TRUE(std::any_of(info->metrics.begin(), info->metrics.end(),
                                [&](const MetricInfo& one) { return one.name == other; }))
            << metric.name << " refers to " << other;
        EXPECT_NE(metric.name, other);
      }
    }
  }
  EXPECT_GT(referring, 0U);
}

}  // namespace
}  // namespace vq
