// Scores of pictures that equal their reference: one rule for them in statistics, thresholds, baselines,
// rankings and files.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/reports/compare_files.h"
#include "cli/reports/diff.h"
#include "cli/reports/rate_report.h"
#include "cli/run/run_outputs.h"
#include "engine/known_metrics.h"
#include "engine/report/report_reader.h"
#include "engine/report/report_writer.h"
#include "engine/report/scenes.h"
#include "engine/report/threshold.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double kEndlessScore = std::numeric_limits<double>::infinity();

double statistic(const std::vector<double>& values, const std::string& word) {
  return statistic_of({"ciede2000", values}, named(word));
}

TEST(InfiniteScores, PercentilesAreThoseOfTheSortedScores) {
  const std::vector<double> all = {kEndlessScore, kEndlessScore, kEndlessScore},
                            most = {kEndlessScore, 44, kEndlessScore, kEndlessScore, kEndlessScore};
  for (const char* const word : {"p0", "p5", "p50", "p95", "p100"})
    EXPECT_EQ(statistic(all, word), kEndlessScore) << word;
  EXPECT_EQ(statistic(most, "p0"), 44);
  EXPECT_EQ(statistic(most, "p5"), 44);  // between a score and infinity
  EXPECT_EQ(statistic(most, "p25"), kEndlessScore);
  EXPECT_EQ(statistic(most, "p60"), kEndlessScore);
  EXPECT_EQ(statistic({-kEndlessScore, 3}, "p50"), 3);
  EXPECT_EQ(statistic({1, 2, 3, 4, kEndlessScore}, "p50"), 3);
  EXPECT_EQ(statistic({1, 2, 3, 4, kEndlessScore}, "p75"), 4);  // a whole rank before infinity
  EXPECT_EQ(statistic({1, 2, 3, 4, kEndlessScore}, "p100"), kEndlessScore);
  EXPECT_EQ(statistic({1, 2, 3, 4, kEndlessScore}, "mean"), kEndlessScore);
  EXPECT_TRUE(std::isnan(statistic(all, "stdev")));
  EXPECT_EQ(statistic({1, 3}, "p50"), 2);
}

// Of the first threshold.
bool crosses(const std::vector<double>& values, const std::string& text,
             const std::optional<std::vector<double>>& before = {}) {
  const auto side = text.find('<') == text.npos ? ThresholdSide::kAbove : ThresholdSide::kBelow;
  const std::vector<Threshold> thresholds = {parse_threshold("ciede2000:" + text, side)};
  Baseline baseline;
  if (before) baseline.report.metrics = {{"ciede2000", *before}};
  Report report;
  report.metrics = {{"ciede2000", values}};
  return judge(thresholds, report, before ? &baseline : nullptr)[0].crossed;
}

TEST(InfiniteScores, ArePerfectForThresholds) {
  const std::vector<double> perfect = {kEndlessScore, kEndlessScore},
                            mixed = {44, kEndlessScore, kEndlessScore, kEndlessScore};
  for (const char* const text :
       {"mean<30", "p5<20", "median<20", "p100<20", "min<20", "stdev>1", "stdev<1"}) {
    EXPECT_FALSE(crosses(perfect, text)) << text;
  }
  EXPECT_FALSE(crosses(mixed, "p25<44"));
  EXPECT_TRUE(crosses(mixed, "p25<45"));
  EXPECT_FALSE(crosses(mixed, "stdev>1"));
  EXPECT_TRUE(crosses({kNaN, 44}, "mean<30"));  // a score is missing
  EXPECT_TRUE(crosses({kNaN, 44}, "stdev>1"));
}

TEST(InfiniteScores, OfABaselineHaveNotChangedWhereTheLaterOnesAreInfiniteToo) {
  const std::vector<double> perfect = {kEndlessScore, kEndlessScore}, lossy = {44, 46};
  for (const char* const text : {"mean<-1", "mean<=-1", "p5<-10%", "mean>+1", "mean>+10%", "stdev>+1"}) {
    EXPECT_FALSE(crosses(perfect, text, perfect)) << text;
  }
  EXPECT_TRUE(crosses(perfect, "mean<=-0", perfect));
  EXPECT_TRUE(crosses(lossy, "mean<-1", perfect));
  EXPECT_TRUE(crosses(lossy, "mean<-10%", perfect));
  EXPECT_FALSE(crosses(lossy, "mean>+1", perfect));
  EXPECT_FALSE(crosses(perfect, "mean<-1", lossy));
  EXPECT_TRUE(crosses(perfect, "mean>+1", lossy));
  EXPECT_TRUE(crosses(perfect, "mean<-1", std::vector<double>{kNaN, 44}));
}

Report report_with(const std::string& metric, const std::vector<double>& values) {
  return run_of("a", values, metric).report;
}

std::vector<double> written_and_read(const std::string& metric, const std::vector<double>& values,
                                     bool extended) {
  const std::string text =
      write_report(report_with(metric, values), {.format = ReportFormat::kJson, .extended = extended});
  return to_report(parse_report(text, "a.json")).metrics[0].values;
}

TEST(InfiniteScores, AreReadBackAsWhatTheyWere) {
  for (const bool extended : {false, true}) {
    EXPECT_THAT(written_and_read("ciede2000", {1, kEndlessScore, kEndlessScore}, extended),
                ElementsAre(1, kEndlessScore, kEndlessScore));
    EXPECT_THAT(written_and_read("psnr_hvs_cb", {kEndlessScore}, extended), ElementsAre(kEndlessScore));
    EXPECT_THAT(written_and_read("float_ssim", {kEndlessScore}, extended), ElementsAre(kEndlessScore));
    // Of these a score may be missing.
    for (const char* const metric : {"float_ms_ssim", "integer_adm2", "vmaf", "unheard_of"}) {
      EXPECT_TRUE(std::isnan(written_and_read(metric, {kNaN, 1}, extended)[0])) << metric;
    }
  }
  EXPECT_THAT(written_and_read("float_ms_ssim", {kEndlessScore, 3}, true), ElementsAre(kEndlessScore, 3));
  EXPECT_TRUE(std::isnan(
      written_and_read("float_ms_ssim", {kEndlessScore, 3}, false)[0]));  // there is no place for it
}

TEST(InfiniteScores, AreNamedByTheFramesOfTheExtendedReportOnly) {
  Report report = report_with("ciede2000", {1, kEndlessScore});
  report.metrics.push_back({"psnr_hvs", {kEndlessScore, kEndlessScore}});
  const json extended = json::parse(write_report(report, {.format = ReportFormat::kJson, .extended = true}));
  EXPECT_EQ(extended["frames"][0]["infinite"], json({"psnr_hvs"}));
  EXPECT_EQ(extended["frames"][1]["infinite"], json({"ciede2000", "psnr_hvs"}));
  EXPECT_TRUE(extended["frames"][1]["metrics"]["ciede2000"].is_null());
  const std::string compatible = write_report(report, {.format = ReportFormat::kJson});
  EXPECT_THAT(compatible, Not(HasSubstr("infinite")));
  const json line = json::parse(score_line(
      {.frame = 3, .timestamp = {}, .metrics = {{"a", 1}, {"b", kEndlessScore}}, .texts = {}}, {}));
  EXPECT_EQ(line["infinite"], json({"b"}));
}

TEST(InfiniteScores, ThresholdsOfASavedReportHaveTheirValue) {
  Report report = report_with("ciede2000", {kEndlessScore, kEndlessScore});
  const std::vector<Threshold> thresholds = {parse_threshold("ciede2000:p5<20", ThresholdSide::kBelow)};
  report.run.thresholds = judge(thresholds, report);
  const std::string text = write_report(report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_EQ(to_report(parse_report(text, "a.json")).run.thresholds[0].value, kEndlessScore);
}

TEST(InfiniteScores, AreEqualInADiff) {
  const auto table = [](const std::vector<double>& values) {
    const std::string text = write_report(report_with("ciede2000", values), {.format = ReportFormat::kJson});
    return parse_report(text, "a.json");
  };
  EXPECT_TRUE(diff_reports(table({kEndlessScore, 2}), table({kEndlessScore, 2})).same());
  EXPECT_FALSE(diff_reports(table({kEndlessScore, 2}), table({50, 2})).same());
}

TEST(InfiniteScores, RankFirstAndTheFewerAreFiniteTheBetter) {
  std::vector<NamedReport> runs = {run_of("lossy", {40, 44}, "ciede2000"),
                                   run_of("half", {kEndlessScore, 44}, "ciede2000"),
                                   run_of("less", {30, 44, kEndlessScore, kEndlessScore}, "ciede2000"),
                                   run_of("perfect", {kEndlessScore, kEndlessScore}, "ciede2000"),
                                   run_of("lacks", {kNaN, 44}, "ciede2000")};
  EXPECT_THAT(ranking(runs, {"ciede2000", named("mean")}), ElementsAre(3, 1, 2, 0, 4));
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  rank(runs, "ciede2000", named("mean"));
  EXPECT_EQ(worth_their_bits(runs, {"ciede2000", named("mean")})[0], std::nullopt);
  EXPECT_THAT(comparison_csv(runs, {"ciede2000", named("mean")}, {}), HasSubstr("\n1,perfect,,2,inf,"));
}

TEST(InfiniteScores, AreNoWorstMoments) {
  const std::vector<double> values(60, kEndlessScore);
  const Report report = report_with("ciede2000", values);
  EXPECT_THAT(worst_moments(report, known_metric("ciede2000"), values, 3), IsEmpty());
  // Of a metric of which less is better they are as bad as can be.
  EXPECT_THAT(worst_moments(report, known_metric("cambi"), values, 3), ElementsAre(0));
}

}  // namespace
}  // namespace vq::cli
