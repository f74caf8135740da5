// The statistics that summaries, rankings and thresholds name.
#include "engine/report/statistic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/known_metrics.h"
#include "engine/report/report_reader.h"
#include "engine/report/report_writer.h"
#include "tests/support/expect_error.h"
#include "tests/support/report_test.h"

namespace vq {
namespace {

using cli::kNaN;
using cli::named;

TEST(Statistics, AreTheReportsOwn) {
  const std::vector<double> values = {0, 1, 2, 3, 9};
  const PooledScores pooled = *pool_scores(values);
  const std::pair<const char*, double> expected[] = {{"mean", pooled.mean},
                                                     {"harmonic", pooled.harmonic_mean},
                                                     {"min", 0},
                                                     {"max", 9},
                                                     {"stdev", pooled.stdev},
                                                     {"p50", 2},
                                                     {"p75", 3},
                                                     {"p90", pooled.p90},
                                                     {"p95", pooled.p95},
                                                     {"p99", pooled.p99},
                                                     {"share", 0.2}};
  for (const auto& [word, value] : expected) {
    EXPECT_DOUBLE_EQ(statistic_of({"cambi", values}, named(word)), value) << word;
  }
  for (const char* word : {"share", "mean", "p95", "max"}) {
    EXPECT_TRUE(std::isnan(statistic_of({"cambi", {1, kNaN}}, named(word)))) << word;
  }
  EXPECT_TRUE(std::isnan(statistic_of({"cambi", {}}, named("p95"))));
  EXPECT_TRUE(std::isnan(statistic_of({"unheard_of", {1, 2}}, named("share"))));
}

TEST(Statistics, AllOfAReportAreShown) {
  const ReportStyle style{ReportFormat::kJson, {}, true};
  const auto report = nlohmann::json::parse(write_report(sample_report(), style));
  std::set<std::string> expected = {"share"}, shown;
  for (const auto& [name, value] : report.at("pooled_metrics").at("cambi_eotf_pq").items())
    expected.insert(name);
  for (const Statistic& statistic : file_statistics()) shown.insert(statistic.name);
  EXPECT_EQ(shown, expected);
}

TEST(Statistics, TablesShowTheWorseEnd) {
  const auto names = [](const std::vector<std::string>& metrics) {
    std::vector<Metric> columns;
    for (const std::string& name : metrics) columns.push_back({name, {1}});
    std::string all;
    for (const ShownStatistic& shown : table_statistics(columns)) all += shown.statistic.name + " ";
    return all;
  };
  EXPECT_EQ(names({"cambi", "cambi_source"}), "mean max p99 p95 p50 share ");
  EXPECT_EQ(names({"psnr_y", "psnr_cb"}), "mean harmonic_mean min p1 p5 p50 ");
  EXPECT_EQ(names({"psnr_y", "cambi"}), "mean min p5 p50 p95 max share ");
  EXPECT_EQ(names({"unheard_of"}), "mean max p99 p95 p50 ");
  // Neither end is the worse one.
  EXPECT_EQ(names({"bounds_share", "bounds_x"}), "mean min p5 p50 p95 max ");
}

TEST(Statistics, SeveralWordsMeanOne) {
  EXPECT_EQ(named("median"), named("p50"));
  EXPECT_EQ(named("p50.0"), named("p50"));
  EXPECT_EQ(named("harmonic"), named("harmonic_mean"));
  EXPECT_EQ(named("harmonic").name, "harmonic_mean");
  EXPECT_EQ(words_of(named("median"), known_metric("cambi")), "median");
  EXPECT_EQ(words_of(named("p2"), known_metric("cambi")), "2nd percentile");
  EXPECT_EQ(words_of(named("p93"), known_metric("cambi")), "93rd percentile");
  EXPECT_EQ(words_of(named("p12"), known_metric("cambi")), "12th percentile");
  EXPECT_EQ(words_of(named("p99.5"), known_metric("cambi")), "99.5th percentile");
  EXPECT_EQ(heading_of(named("share"), known_metric("cambi_source_eotf_pq")), "frames >= 5");
  EXPECT_EQ(words_of(named("share"), known_metric("cambi")), "share of frames from 5 on");
  const MetricInfo decibels = {.name = "db", .better = Better::kHigher, .noteworthy = 30};
  EXPECT_EQ(heading_of(named("share"), decibels), "frames <= 30");
  EXPECT_EQ(words_of(named("share"), decibels), "share of frames from 30 down");
  EXPECT_EQ(heading_of(named("share"), known_metric("unheard_of")), "noteworthy");
}

TEST(Statistics, AnUnknownOneIsToldWithTheNearest) {
  vq::test::expect_error(ErrorKind::kUsage, {"--by", "\"maen\"", "Did you mean \"mean\"?"},
                         [] { named("maen"); });
  vq::test::expect_error(ErrorKind::kUsage, {"--by", "\"p101\"", "p0 to p100"}, [] { named("p101"); });
}

}  // namespace
}  // namespace vq
