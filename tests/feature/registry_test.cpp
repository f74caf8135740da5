// Metrics by the names that reports have, and what their descriptions say of each other.
#include "core/error.h"
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

// Takes each default and both ends of each range, and nothing beyond.
TEST(Registry, OptionsHoldAtTheEndsOfTheirRanges) {
  for (const FeatureInfo* info : features()) {
    for (const OptionSpec& spec : info->options) {
      if (spec.kind != OptionKind::kInt && spec.kind != OptionKind::kReal) continue;
      const auto takes = [&](const std::string& text) {
        OptionSet set(info->options);
        try {
          set.set(spec.name, text);
          return true;
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find(spec.range_text()), std::string::npos) << error.what();
          return false;
        }
      };
      SCOPED_TRACE(std::string(info->name) + " " + std::string(spec.name));
      EXPECT_TRUE(takes(spec.default_text_form()));
      for (const int number : spec.allowed) EXPECT_TRUE(takes(std::to_string(number)));
      EXPECT_FALSE(takes("nan"));
      if (!spec.allowed.empty()) continue;
      const bool is_int = spec.kind == OptionKind::kInt;
      const auto text = [&](double number) {
        return is_int ? std::to_string(static_cast<int>(number)) : std::to_string(number);
      };
      const double step = is_int ? 1 : 0.0001;
      EXPECT_TRUE(takes(text(spec.min)) && takes(text(spec.max)));
      EXPECT_FALSE(takes(text(spec.min - step)) && spec.min - step != spec.default_number);
      EXPECT_FALSE(spec.max + step > spec.max && takes(text(spec.max + step)));
    }
  }
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
