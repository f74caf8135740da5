#include "cli/reports/threshold.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/error.h"
#include "tests/support/bad_input.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Threshold above(const std::string& text) {
  return parse_threshold(text, ThresholdSide::kAbove);
}

Threshold below(const std::string& text) {
  return parse_threshold(text, ThresholdSide::kBelow);
}

std::string refusal_of(const std::string& text, ThresholdSide side = ThresholdSide::kAbove) {
  try {
    parse_threshold(text, side);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

std::vector<ThresholdFacts> judged(const std::vector<std::string>& texts) {
  Report report;
  report.metrics = {{"cambi_eotf_pq", {1, 2, 3, 4, 5}}, {"cambi_source", {0, 0, 0, 0, 1}}};
  std::vector<Threshold> thresholds;
  for (const std::string& text : texts) thresholds.push_back(above(text));
  return judge(thresholds, report);
}

std::string crossed(const std::vector<std::string>& texts) {
  return crossed_text(judged(texts));
}

TEST(Threshold, ReadsItsParts) {
  const Threshold threshold = above("cambi_full_reference:p99.5>=1.25");
  EXPECT_EQ(threshold.metric, "cambi_full_reference");
  EXPECT_EQ(threshold.statistic.name, "p99.5");
  EXPECT_TRUE(threshold.inclusive);
  EXPECT_EQ(threshold.value, 1.25);
  EXPECT_FALSE(above("mean>5").inclusive);
}

TEST(Threshold, TakesBlanksAndEveryWordOfAComparison) {
  const Threshold threshold = above(" cambi : median >= 5 ");
  EXPECT_EQ(threshold.metric, "cambi");
  EXPECT_EQ(threshold.statistic, parse_statistic("p50", ""));
  EXPECT_TRUE(threshold.inclusive);
  EXPECT_EQ(threshold.value, 5);
  EXPECT_EQ(above("harmonic>1").statistic.name, "harmonic_mean");
  EXPECT_DOUBLE_EQ(above("share > 12.5 %").value, 0.125);
  EXPECT_DOUBLE_EQ(above("share>0.125").value, 0.125);
}

TEST(Threshold, Refusals) {
  EXPECT_THAT(refusal_of("mean<5"), HasSubstr("there is no > or >=. Quote it, or the shell takes it."));
  EXPECT_THAT(refusal_of("maen>5"), HasSubstr("Did you mean \"mean\"?"));
  EXPECT_THAT(refusal_of("p101>5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(refusal_of("p>5"), HasSubstr("unknown statistic"));
  EXPECT_THAT(refusal_of("mean>"), HasSubstr("\"\" is not a number"));
  EXPECT_THAT(refusal_of("mean>=5x"), HasSubstr("\"5x\" is not a number"));
  EXPECT_THAT(refusal_of("mean>nan"), HasSubstr("is not a number"));
  EXPECT_THAT(refusal_of(":mean>5"), HasSubstr("metric before the colon"));
  EXPECT_THAT(refusal_of("share>10"), HasSubstr("a share is below 1, or has a percent sign. It takes"));
  EXPECT_THAT(refusal_of("mean>5%"), HasSubstr("\"5%\" is not a number"));
  EXPECT_THAT(refusal_of(">5"), HasSubstr("unknown statistic"));
}

TEST(Threshold, SaysWhichAndByHowMuch) {
  EXPECT_EQ(crossed({"mean>2.5"}), "mean of cambi_eotf_pq is 3 (mean>2.5)");
  EXPECT_EQ(crossed({"mean>3", "max>5", "p50>3", "min>1", "share>20%"}), "");
  EXPECT_EQ(crossed({"mean>=3"}), "mean of cambi_eotf_pq is 3 (mean>=3)");
  for (const char* text : {"max>4", "p75>3.5", "stdev>1", "harmonic_mean>2", "min>0", "share>=20%"}) {
    EXPECT_TRUE(judged({text})[0].crossed) << text;
  }
  EXPECT_EQ(crossed({"cambi:max>4.5", "max>9", "cambi_source:max>0.5", "share>1%"}),
            "max of cambi_eotf_pq is 5 (cambi:max>4.5); max of cambi_source is 1 (cambi_source:max>0.5); share of "
            "cambi_eotf_pq is 20.00 % (share>1%)");
}

TEST(Threshold, FromBelowIsTheOtherWayRound) {
  Report report;
  report.metrics = {{"cambi", {1, 2, 3}}};
  const auto is_crossed = [&](const std::string& text) {
    return judge(std::vector{below("cambi:" + text)}, report)[0].crossed;
  };
  for (const char* text : {"mean<2.5", "mean<=2", "p0<1.5", "share<50%"}) EXPECT_TRUE(is_crossed(text)) << text;
  for (const char* text : {"mean<2", "max<=2.9", "min<1"}) EXPECT_FALSE(is_crossed(text)) << text;
  report.metrics[0].values[1] = NAN;
  EXPECT_TRUE(is_crossed("mean<0"));
  EXPECT_THAT(refusal_of("mean>5", ThresholdSide::kBelow),
              HasSubstr("--fail-below \"mean>5\": there is no < or <=. Quote it, or the shell takes it. It takes "
                        "[METRIC:]STATISTIC<VALUE"));
}

TEST(Threshold, WithoutAMetricItMeansTheFirstOfWhichItsSideIsTheWorseOne) {
  Report report;
  report.metrics = {{"psnr_y", {40}}, {"cambi", {3}}, {"unheard_of", {7}}};
  EXPECT_EQ(judge(std::vector{above("mean>5")}, report)[0].metric, "cambi");
  EXPECT_EQ(judge(std::vector{below("mean<5")}, report)[0].metric, "psnr_y");
  report.metrics.erase(report.metrics.begin());
  EXPECT_EQ(judge(std::vector{below("mean<5")}, report)[0].metric, "unheard_of");
  const std::vector<std::string> lower = {"cambi"}, higher = {"psnr_y"};
  EXPECT_THROW(check_threshold_metrics(std::vector{below("mean<5")}, lower), Error);
  EXPECT_THROW(check_threshold_metrics(std::vector{above("mean>5")}, higher), Error);
  EXPECT_NO_THROW(check_threshold_metrics(std::vector{above("psnr_y:mean>5")}, higher));
}

TEST(Threshold, AShareNeedsAScoreThatIsNoteworthy) {
  const std::vector<std::string> metrics = {"cambi", "unheard_of"};
  EXPECT_NO_THROW(check_threshold_metrics(std::vector{above("share>10%")}, metrics));
  EXPECT_THROW(check_threshold_metrics(std::vector{above("unheard_of:share>10%")}, metrics), Error);
}

TEST(Threshold, EachIsJudged) {
  EXPECT_THAT(judged({"cambi_source:max>0.5", "median>5"}),
              ElementsAre(ThresholdFacts{"cambi_source:max>0.5", "cambi_source", "max", 1, true},
                          ThresholdFacts{"median>5", "cambi_eotf_pq", "p50", 3, false}));
}

TEST(Threshold, WhatIsNotANumberCrossesEveryOne) {
  Report report;
  report.metrics = {{"cambi", {1, NAN}}};
  for (const char* text : {"mean>100", "p50>100", "share>99%"}) {
    EXPECT_TRUE(judge(std::vector{above(text)}, report)[0].crossed) << text;
  }
}

class ThresholdRun : public ::testing::Test {
 protected:
  const std::string clip_ = testdata("clips/sky_640x360_8b.mp4");
  test::TemporaryFolder folder_;
};

TEST_F(ThresholdRun, FailBelowEndsWithItsCode) {
  EXPECT_EQ(test::run_program({clip_, "-q", "--fail-below", "cambi:mean<1000"}).code, 7);
  EXPECT_EQ(test::run_program({clip_, "-q", "--fail-below", "cambi:mean<0"}).code, 0);
}

TEST_F(ThresholdRun, ACrossedOneIsSevenAfterTheReports) {
  const std::string report = folder_.path() + "/r.json";
  const test::ProgramResult result =
      test::run_program({clip_, "-o", report, "--extended", "--fail-above", "mean > 5", "--fail-above", "max>=100"});
  EXPECT_EQ(result.code, 7);
  EXPECT_THAT(result.err, HasSubstr("cambi: error: " + clip_ + ": threshold crossed: mean of cambi is 8.689"));
  const json judged = json::parse(test::read_file(report))["run"]["thresholds"];
  EXPECT_EQ(judged[0]["crossed"], true);
  EXPECT_EQ(judged[1]["crossed"], false);
  EXPECT_THAT(result.out, HasSubstr("metric"));
  EXPECT_EQ(json::parse(test::read_file(report))["frames"].size(), 12U);
  EXPECT_EQ(test::run_program({clip_, "--fail-above", "mean>9"}).code, 0);
  EXPECT_EQ(test::run_program({clip_, "-q", "--fail-above", "mean>5"}).code, 7);
}

TEST_F(ThresholdRun, OnGitHubItIsAnAnnotation) {
  const auto errors = [&](const char* on_github) {
    return test::run_program({clip_, "-q", "--fail-above", "share>10%"}, {.environment = {{"GITHUB_ACTIONS", on_github}}}).err;
  };
  EXPECT_THAT(errors("true"), HasSubstr("\n::error title=cambi::" + clip_ + ": threshold crossed: share of cambi is 100.00 %25 (share>10%25)\n"));
  EXPECT_THAT(errors("false"), ::testing::Not(HasSubstr("::")));
}

TEST_F(ThresholdRun, AnUnknownMetricIsToldBeforeTheFirstFrame) {
  const test::ProgramResult result = test::run_program({clip_, "--fail-above", "canbi:mean>5"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("Did you mean \"cambi\"?"));
  EXPECT_TRUE(result.out.empty());
}

TEST_F(ThresholdRun, ScoresStreamAsTheReportHasThem) {
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

TEST_F(ThresholdRun, ScoresAndAReportCannotShareStandardOutput) {
  const test::ProgramResult result = test::run_program({clip_, "--stream-scores", "-o", "-"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("--stream-scores writes to standard output"));
}

// The same moments in the summary, the report and the pictures, in the same order. The video has three.
TEST_F(ThresholdRun, TheWorstMomentsAreTheSameEverywhere) {
  const std::string path = folder_.path() + "/r.json", maps = folder_.path() + "/maps";
  const std::string video = folder_.path() + "/v.mkv";
  test::run_ffmpeg("-f lavfi -i gradients=s=320x240:c0=0x202020:c1=0x303030:d=4:r=25:seed=7:speed=0.05 -pix_fmt yuv420p -c:v ffv1 " + video);
  const auto run = [&](const std::string& count) {
    return test::run_program({video, "--worst", count, "--extended", "-o", path, "--heatmaps", maps, "--heatmap-format", "png"});
  };
  const test::ProgramResult result = run("2");
  ASSERT_EQ(result.code, 0) << result.err;
  const json worst = json::parse(test::read_file(path))["worst"]["cambi"];
  ASSERT_EQ(worst.size(), 2U);
  std::set<std::string> wanted, found;
  std::string pattern = "worst: ";
  for (const json& moment : worst) {
    const std::string number = moment["frameNum"].dump();
    pattern += ".*\\(#" + number + "\\) .*";
    wanted.insert(std::string(6 - number.size(), '0') + number);
  }
  EXPECT_THAT(result.out, ::testing::ContainsRegex(pattern));
  for (const auto& entry : std::filesystem::directory_iterator(maps)) {
    const std::string name = entry.path().stem();
    found.insert(name.substr(name.find_first_of("0123456789", name.find_last_of("_f")), 6));
  }
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(test::run_program({clip_, "--worst", "0"}).out.find("worst"), std::string::npos);
  EXPECT_EQ(test::run_program({clip_, "--worst", "1001"}).code, 1);
}

}  // namespace
}  // namespace vq::cli
