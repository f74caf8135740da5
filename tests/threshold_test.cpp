#include "cli/threshold.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "tests/paths.h"
#include "tests/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal_of(const std::string& text) {
  try {
    parse_threshold(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> crossed(const std::vector<std::string>& texts) {
  Report report;
  report.metrics = {{"cambi_eotf_pq", {1, 2, 3, 4, 5}}, {"cambi_source", {0, 0, 0, 0, 1}}};
  std::vector<Threshold> thresholds;
  for (const std::string& text : texts) thresholds.push_back(parse_threshold(text));
  return crossed_thresholds(thresholds, report);
}

TEST(Threshold, ReadsItsParts) {
  const Threshold threshold = parse_threshold("cambi_full_reference:p99.5>=1.25");
  EXPECT_EQ(threshold.metric, "cambi_full_reference");
  EXPECT_EQ(threshold.statistic, "p99.5");
  EXPECT_TRUE(threshold.inclusive);
  EXPECT_EQ(threshold.limit, 1.25);
  EXPECT_FALSE(parse_threshold("mean>5").inclusive);
}

TEST(Threshold, Refusals) {
  EXPECT_THAT(refusal_of("mean<5"), HasSubstr("there is no > or >="));
  EXPECT_THAT(refusal_of("maen>5"), HasSubstr("Did you mean \"mean\"?"));
  EXPECT_THAT(refusal_of("p101>5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(refusal_of("p>5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(refusal_of("mean>"), HasSubstr("\"\" is not a number"));
  EXPECT_THAT(refusal_of("mean>=5x"), HasSubstr("\"5x\" is not a number"));
  EXPECT_THAT(refusal_of("mean>nan"), HasSubstr("is not a number"));
  EXPECT_THAT(refusal_of(":mean>5"), HasSubstr("metric before the colon"));
  EXPECT_THAT(refusal_of(">5"), HasSubstr("unknown statistic"));
}

TEST(Threshold, SaysWhichAndByHowMuch) {
  EXPECT_THAT(crossed({"mean>2.5"}),
              ElementsAre("mean of cambi_eotf_pq is 3, which is 0.5 above 2.5 (mean>2.5)"));
  EXPECT_THAT(crossed({"mean>3", "max>5", "p50>3", "min>1"}), IsEmpty());
  EXPECT_THAT(crossed({"mean>=3"}), ElementsAre("mean of cambi_eotf_pq is 3, the limit itself (mean>=3)"));
  EXPECT_EQ(crossed({"max>4", "p75>3.5", "stdev>1", "harmonic_mean>2", "min>0"}).size(), 5U);
  EXPECT_THAT(crossed({"cambi:max>4.5", "cambi_source:max>0.5"}),
              ElementsAre(HasSubstr("max of cambi_eotf_pq is 5"), HasSubstr("max of cambi_source is 1")));
}

TEST(Threshold, WhatIsNotANumberCrossesEveryLimit) {
  Report report;
  report.metrics = {{"cambi", {1, NAN}}};
  for (const char* text : {"mean>100", "p50>100"}) {
    EXPECT_EQ(crossed_thresholds(std::vector{parse_threshold(text)}, report).size(), 1U) << text;
  }
}

class LimitRun : public ::testing::Test {
 protected:
  const std::string clip_ = testdata("clips/sky_640x360_8b.mp4");
  test::TemporaryFolder folder_;
};

TEST_F(LimitRun, ACrossedLimitIsSevenAfterTheReports) {
  const std::string report = folder_.path() + "/r.json";
  const test::ProgramResult result =
      test::run_program({clip_, "-o", report, "--fail-above", "mean>5", "--fail-above", "max>=100"});
  EXPECT_EQ(result.code, 7);
  EXPECT_THAT(result.err, HasSubstr("cambi: error: --fail-above: mean of cambi is 8.689"));
  EXPECT_THAT(result.out, HasSubstr("metric"));
  EXPECT_EQ(json::parse(test::read_file(report))["frames"].size(), 12U);
  EXPECT_EQ(test::run_program({clip_, "--fail-above", "mean>9"}).code, 0);
  EXPECT_EQ(test::run_program({clip_, "-q", "--fail-above", "mean>5"}).code, 7);
}

TEST_F(LimitRun, AnUnknownMetricIsToldBeforeTheFirstFrame) {
  const test::ProgramResult result = test::run_program({clip_, "--fail-above", "canbi:mean>5"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("Did you mean \"cambi\"?"));
  EXPECT_TRUE(result.out.empty());
}

TEST_F(LimitRun, ScoresStreamAsTheReportHasThem) {
  const std::string path = folder_.path() + "/r.json";
  const test::ProgramResult result =
      test::run_program({clip_, "-r", clip_, "--full-ref", "--stream-scores", "--extended", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(test::read_file(path));
  std::istringstream lines(result.out);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(json::parse(line), report["frames"][count]) << line;
  }
  EXPECT_EQ(count, 12U);
  EXPECT_THAT(result.err, HasSubstr("metric"));  // the summary makes way
}

TEST_F(LimitRun, ScoresAndAReportCannotShareStandardOutput) {
  const test::ProgramResult result = test::run_program({clip_, "--stream-scores", "-o", "-"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("--stream-scores writes to standard output"));
}

TEST_F(LimitRun, WorstCountsEverywhere) {
  const std::string path = folder_.path() + "/r.json";
  const std::string maps = folder_.path() + "/maps";
  const test::ProgramResult result = test::run_program(
      {clip_, "--worst", "2", "--extended", "-o", path, "--heatmaps", maps, "--heatmap-format", "png"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(test::read_file(path))["worst"]["cambi"].size(), 2U);
  EXPECT_EQ(test::run_program({clip_, "--worst", "0"}).out.find("worst"), std::string::npos);
  EXPECT_EQ(test::run_program({clip_, "--worst", "1001"}).code, 1);
}

}  // namespace
}  // namespace vq::cli
