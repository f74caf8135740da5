// The ranking of runs.
#include "cli/reports/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cli/reports/compare_files.h"
#include "cli/reports/comparison_table.h"
#include "cli/reports/run_remarks.h"
#include "feature/model_scores.h"
#include "feature/registry.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using vq::test::expect_error;
using vq::test::GoldenTexts;

std::vector<std::string> names(const std::vector<NamedReport>& runs) {
  std::vector<std::string> list;
  for (const NamedReport& run : runs) list.push_back(run.name);
  return list;
}

TEST(Compare, RanksTheLowestFirstAndWhatIsNoNumberLast) {
  std::vector<NamedReport> runs = {run_of("none", {kNaN, 0}), run_of("high", {1, 9}), run_of("low", {4, 5}),
                                   run_of("same", {5, 4})};
  rank(runs, "cambi", named("max"));
  EXPECT_EQ(names(runs), (std::vector<std::string>{"low", "same", "high", "none"}));
  rank(runs, "cambi", named("min"));
  EXPECT_EQ(names(runs), (std::vector<std::string>{"high", "low", "same", "none"}));
}

TEST(Compare, OfAnUnknownMetricTheLowestIsFirstAndThatIsTold) {
  std::vector<NamedReport> runs = {run_of("high", {9}), run_of("low", {1})};
  for (NamedReport& run : runs) run.report.metrics[0].name = "unheard_of";
  const ComparisonBasis basis{"unheard_of", named("mean")};
  rank(runs, basis.metric, basis.statistic);
  EXPECT_EQ(names(runs), (std::vector<std::string>{"low", "high"}));
  EXPECT_THAT(remarks_on(runs, basis),
              testing::ElementsAre("Whether a low or a high unheard_of is better is not known here. "
                                   "The lowest is first."));
}

TEST(Compare, WhatAScoreMeansInOneRunItMeansInThoseThatDoNotSay) {
  std::vector<NamedReport> runs = {run_of("low", {50}, "mine"), run_of("high", {90}, "mine")};
  EXPECT_FALSE(is_model_score(runs[0].report.metrics[0]));
  const std::string model = "mine";
  runs[1].report.metrics[0].info = find_model_score(model, {&model, 1});
  share_meanings(runs);
  EXPECT_TRUE(is_model_score(runs[0].report.metrics[0]));
  rank(runs, model, named("mean"));
  EXPECT_EQ(names(runs), (std::vector<std::string>{"high", "low"}));
}

TEST(Compare, TakesTheFirstMetricThatAllHave) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  runs[0].report.metrics.push_back({"cambi_source", {2}});
  runs[1].report.metrics = {{"cambi_source", {2}}};
  EXPECT_EQ(common_metric(runs, ""), "cambi_source");
  EXPECT_EQ(common_metric(runs, "cambi_source"), "cambi_source");
  expect_error(ErrorKind::kMismatch, {"b has cambi_source, but not cambi.", "--metric"}, [&] { common_metric(runs, "cambi"); });
  runs[0].report.metrics.pop_back();
  expect_error(ErrorKind::kMismatch, {"b has cambi_source"}, [&] { common_metric(runs, ""); });
}

TEST(Compare, PrefersAMetricThatJudges) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  for (NamedReport& run : runs) run.report.metrics.insert(run.report.metrics.begin(), {"bounds_share", {0.5}});
  EXPECT_EQ(common_metric(runs, ""), "cambi");
  EXPECT_EQ(common_metric(runs, "bounds_share"), "bounds_share");
  runs[1].report.metrics.pop_back();
  EXPECT_EQ(common_metric(runs, ""), "bounds_share");
  EXPECT_THAT(remarks_on(runs, {"bounds_share", named("mean")}),
              testing::ElementsAre("Neither a low nor a high bounds_share is better. The lowest is first."));
}

// What a ranking looks like to people: each table has a row a run.
TEST(Compare, TablesAreAsReviewed) {
  GoldenTexts golden("reports/comparison_tables.txt");
  const std::vector<NamedReport> two = {run_of("a.mkv", {1, 2}), run_of("longer.mkv", {5, 7, 3, 5})};
  golden.add("two runs", comparison_table(two, {"cambi", named("mean")}).text());
  golden.add("by another statistic", comparison_table(two, {"cambi", named("harmonic")}).text());
  golden.add("a score is missing", comparison_table({two[0], run_of("part.json", {5, kNaN, 3})}, {"cambi", named("mean")}).text());

  std::vector<NamedReport> runs = {run_of("a", {1, 2}), run_of("b", {5, 7})};
  for (NamedReport& run : runs) run.report.metrics.push_back({"cambi_source", {0.5, 0.25}});
  InputFacts& video = runs[1].report.run.inputs[0];
  video.bit_rate = 1156569;
  video.bit_rate_of = "file";
  video.file_bytes = 86903191;
  golden.add("other metrics, and what runs cost", comparison_table(runs, {"cambi", named("mean"), {"cambi_source"}}).text());

  // Many features make one score; what they found stands in the reports.
  NamedReport run = run_of("a", {1, 2});
  run.report.metrics[0].name = "cambi_hrs_1080_cmxv_17_vlt_0.06";
  std::vector<std::string> others = {run.report.metrics[0].name};
  for (const char* const name : {"integer_adm2", "integer_adm3", "integer_aim", "integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2"}) {
    run.report.metrics.push_back({name, {0.5, 0.5}});
    others.emplace_back(name);
  }
  run.report.metrics.push_back({"vmaf", {80, 90}});
  golden.add("beside the score of a model what is judged by itself", comparison_table({run}, {"vmaf", named("mean"), others}).text());
  others.pop_back();
  golden.add("fewer others are shown", comparison_table({run}, {"vmaf", named("mean"), others}).text());
}

TEST(Compare, OtherMetricsAreThoseThatJudgeAndAllHave) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  for (NamedReport& run : runs) run.report.metrics.push_back({"bounds_share", {0.5}});
  for (NamedReport& run : runs) run.report.metrics.push_back({"psnr_y", {40}});
  runs[0].report.metrics.push_back({"cambi_source", {40}});
  EXPECT_THAT(other_common_metrics(runs, "cambi"), testing::ElementsAre("psnr_y"));
  EXPECT_THAT(other_common_metrics(runs, "psnr_y"), testing::ElementsAre("cambi"));
}

TEST(Compare, NamesAreWhatTellsRunsApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(short_names({"out/a.mkv", "out/b.mkv"}), (Names{"a", "b"}));
  EXPECT_EQ(short_names({"out/x/enc.mp4", "out/y/enc.mp4"}), (Names{"x/enc", "y/enc"}));
  EXPECT_EQ(short_names({"a.mkv", "out/a.mkv"}), (Names{"a", "out/a"}));
  EXPECT_EQ(short_names({"/in/crf/1.mkv", "/in/crf2/1.mkv"}), (Names{"crf/1", "crf2/1"}));
  EXPECT_EQ(short_names({"/a.mkv", "/dev/fd/63"}), (Names{"/a.mkv", "/dev/fd/63"}));
  EXPECT_EQ(short_names({"a.mkv", "a.mp4"}), (Names{"a.mkv", "a.mp4"}));
  EXPECT_EQ(short_names({"a.mp4.json", "b.mp4.json"}), (Names{"a", "b"}));
  EXPECT_EQ(short_names({"crf.18", "crf.20"}), (Names{"crf.18", "crf.20"}));
  EXPECT_EQ(short_names({"out/a.mkv", "out/a.mkv"}), (Names{"a", "a"}));
  EXPECT_EQ(short_names({"x/.mkv", "y/.mkv"}), (Names{"x/.mkv", "y/.mkv"}));
  EXPECT_EQ(short_names({"v.1/a", "v.1/b", "v.1/c."}), (Names{"a", "b", "c."}));
  EXPECT_EQ(short_names({}), Names{});
}

std::vector<NamedReport> runs_with_everything() {
  std::vector<NamedReport> runs = {run_of("a|b,\"c\".mkv", {1, 2.25, 8}), run_of("b", {5, 7, 9})};
  for (NamedReport& run : runs) {
    run.report.metrics.push_back({"psnr_y", {40, 42, 44}});
    run.report.run.inputs[0].bit_rate = 5000;
  }
  runs[0].report.run.inputs[0].bit_rate_of = "stream";
  runs[1].thresholds = {{"max>5", "cambi", "max", 9, true}};
  return runs;
}

// Other metrics, bits, thresholds and moments; and what is not a number.
TEST(Compare, FilesAreAsReviewed) {
  const std::vector<NamedReport> missing = {run_of("a|b.mkv", {1, 2}), run_of("none.mkv", {5, kNaN})}, all = runs_with_everything();
  const ComparisonBasis by_p75{"cambi", named("p75")}, with_psnr{"cambi", named("mean"), {"psnr_y"}};
  GoldenTexts golden("reports/comparison_files.txt");
  golden.add("JSON", without_version(comparison_json(all, with_psnr, {.moments = 1})));
  golden.add("JSON, of two digits", without_version(comparison_json(missing, by_p75, {.numbers = {NumberStyle::Kind::kSignificant, 2}})));
  golden.add("CSV", comparison_csv(all, with_psnr, {}));
  golden.add("CSV, a score is missing", comparison_csv(missing, by_p75, {}));
  golden.add("Markdown", comparison_markdown(all, by_p75));
}

}  // namespace
}  // namespace vq::cli
