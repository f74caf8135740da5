#include "engine/report/report.h"

#include <gmock/gmock.h>

namespace vq {
namespace {

using ::testing::ElementsAre;

TEST(ReportMetrics, AreFoundByName) {
  Report report;
  report.metrics = {{"a", {1}}, {"b", {2}}};
  EXPECT_EQ(find_metric(report, "b"), &report.metrics[1]);
  EXPECT_EQ(find_metric(report, "c"), nullptr);
  EXPECT_THAT(names_of(report.metrics), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace vq
