// Which scores of a report without facts about its run are those of models.
#include "engine/report/metric_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/known_metrics.h"
#include "engine/report/report_reader.h"

namespace vq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> scores(const std::vector<std::string>& metrics) {
  return scores_of_models(metrics);
}

TEST(PlainModels, AreBehindFeaturesThatCompare) {
  EXPECT_THAT(scores({"integer_adm2", "integer_motion2", "mine"}), ElementsAre("mine"));
  EXPECT_THAT(scores({"integer_adm2_egl_1", "cambi", "mine", "yours"}), ElementsAre("mine", "yours"));
  EXPECT_THAT(scores({"mine", "integer_adm2"}), IsEmpty());
  EXPECT_THAT(scores({"integer_adm2", "mine", "psnr_y"}), IsEmpty());
  EXPECT_THAT(scores({"integer_adm2", "integer_motion2"}), IsEmpty());
}

TEST(PlainModels, AreNotWithoutWhatTheyAreMadeOf) {
  EXPECT_THAT(scores({"mine"}), IsEmpty());
  EXPECT_THAT(scores({"cambi", "mine"}), IsEmpty());
  EXPECT_THAT(scores({}), IsEmpty());
}

TEST(PlainModels, AreNoFeaturesOfOtherPrograms) {
  EXPECT_THAT(scores({"psnr_y", "float_psnr"}), IsEmpty());
  EXPECT_THAT(scores({"psnr_y", "adm2", "adm_scale0", "vif_scale3", "motion2"}), IsEmpty());
  EXPECT_THAT(scores({"psnr_y", "motion2", "mine"}), ElementsAre("mine"));
}

TEST(PlainModels, OfACollectionOnlyTheScore) {
  EXPECT_THAT(scores({"integer_adm2", "ours", "ours_0001", "ours_bagging", "ours_ci_p95_lo"}),
              ElementsAre("ours"));
}

// Whether the last metric of the report is the score of a model.
bool ends_with_score(const char* report) {
  return is_model_score(to_report(parse_report(report, "report.json")).metrics.back());
}

TEST(PlainModels, AreKnownInTheirReportAlone) {
  EXPECT_TRUE(ends_with_score(R"({"version": "1", "fps": 1, "frames": [
      {"frameNum": 0, "metrics": {"integer_adm2": 0.5, "read_here": 50}}], "pooled_metrics": {}})"));
  EXPECT_FALSE(ends_with_score(R"({"version": "1", "fps": 1, "frames": [
      {"frameNum": 0, "metrics": {"read_here": 50}}], "pooled_metrics": {}})"));
}

TEST(PlainModels, AreNotGuessedWhereTheReportListsThem) {
  EXPECT_TRUE(ends_with_score(R"({"run": {"models": [{"name": "listed"}]}, "frames": [
      {"frameNum": 0, "metrics": {"cambi": 0.5, "listed": 50}}]})"));
  EXPECT_FALSE(ends_with_score(R"({"run": {"models": [{"name": "listed"}]}, "frames": [
      {"frameNum": 0, "metrics": {"integer_adm2": 0.5, "mine": 50}}]})"));
}

}  // namespace
}  // namespace vq
