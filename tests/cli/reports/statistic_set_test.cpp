// One set of statistics in one order, metrics in the order in which they are asked for, and samples that say
// so, in every output.
#include "cli/pages/page_facts.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/diff.h"
#include "cli/reports/rate_report.h"
#include "cli/reports/summary.h"
#include "cli/run/run_outputs.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kColumns = "mean,harmonic_mean,stdev,min,p1,p5,p10,p50,p90,p95,p99,max,share";

std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::string joined_keys(const ordered_json& object) {
  std::string text;
  for (const std::string& key : keys_of(object)) text += (text.empty() ? "" : ",") + key;
  return text;
}

BatchSummary batch_of(const Report& report) {
  BatchSummary summary;
  VideoOutcome& video = summary.videos.emplace_back();
  video.path = video.name = "a";
  video.state = VideoOutcome::State::kScored;
  video.scores = scores_of(report);
  return summary;
}

TEST(StatisticSet, IsTheSameInEveryFile) {
  const std::vector<NamedReport> runs = {run_of("a", {1, 2, 3}), run_of("b", {2, 3, 4})};
  const ComparisonBasis basis{"cambi", named("mean")};
  const ordered_json comparison = ordered_json::parse(comparison_json(runs, basis));
  EXPECT_EQ(joined_keys(comparison["runs"][0]["statistics"]), kColumns);
  EXPECT_THAT(comparison_csv(runs, basis, {}), HasSubstr(std::string(",frames,") + kColumns + ",file_bytes"));
  const BatchSummary batch = batch_of(runs[0].report);
  EXPECT_THAT(batch_csv(batch, {}), HasSubstr(std::string(",metric,") + kColumns + ",comparable\n"));
  EXPECT_EQ(
      joined_keys(ordered_json::parse(batch_json(batch, {}))["videos"][0]["scores"]["metrics"]["cambi"]),
      kColumns);
  const ordered_json report =
      ordered_json::parse(write_report(runs[0].report, {.format = ReportFormat::kJson, .extended = true}));
  EXPECT_EQ(joined_keys(report["pooled_metrics"]["cambi"]),
            "min,max,mean,harmonic_mean,stdev,p1,p5,p10,p50,p90,p95,p99");
  EXPECT_DOUBLE_EQ(report["pooled_metrics"]["cambi"]["p10"], 1.2);
  const ordered_json compatible =
      ordered_json::parse(write_report(runs[0].report, {.format = ReportFormat::kJson}));
  EXPECT_EQ(joined_keys(compatible["pooled_metrics"]["cambi"]), "min,max,mean,harmonic_mean");
}

// A run with a model, of whose features nobody asked for one.
Report run_with_model(double offset) {
  Report report = run_of("a", {1, 2}).report;
  report.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1"}};
  report.metrics = {};
  for (const char* const name : {"integer_adm2", "integer_adm3", "integer_aim", "integer_motion2",
                                 "integer_vif_scale0", "integer_vif_scale1"}) {
    report.metrics.push_back({name, {0.5, 0.5}, nullptr, true});
  }
  report.metrics.push_back({"psnr_y", {40 + offset, 41}});
  report.metrics.push_back({"float_ssim", {0.9, 0.9}});
  report.metrics.push_back({"vmaf", {90 + offset, 91}});
  return report;
}

TEST(MetricOrder, WhatWasAskedForComesBeforeWhatModelsTake) {
  const std::vector<NamedReport> runs = {{"a", run_with_model(1)}, {"b", run_with_model(0)}};
  ComparisonBasis basis{common_metric(runs, ""), named("mean")};
  EXPECT_EQ(basis.metric, "vmaf");
  basis.others = other_common_metrics(runs, basis.metric);
  EXPECT_THAT(basis.others, ElementsAre("psnr_y", "float_ssim"));
  std::vector<std::string> headings;
  const TextTable compared = comparison_table(runs, basis);
  for (const TextColumn& column : compared.columns()) headings.push_back(column.heading);
  EXPECT_THAT(headings, IsSupersetOf({"psnr_y mean", "float_ssim mean"}));
  EXPECT_THAT(headings, Not(Contains("integer_adm2 mean")));
  EXPECT_THAT(comparison_csv(runs, basis, {}),
              HasSubstr(",comparable,mean of psnr_y,mean of float_ssim,curve,"));
  const BatchSummary batch = batch_of(runs[0].report);
  EXPECT_EQ(batch.videos[0].scores->metrics[batch.videos[0].scores->leading].metric.name, "vmaf");
  const std::vector<std::string> all =
      keys_of(ordered_json::parse(batch_json(batch, {}))["videos"][0]["scores"]["metrics"]);
  EXPECT_THAT(all, ElementsAre("vmaf", "psnr_y", "float_ssim"));
  const std::vector<TextTable> statistics = statistics_tables(runs[0].report);
  ASSERT_EQ(statistics.size(), 1U);
  const std::vector<std::vector<std::string>>& rows = statistics[0].rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][0] + " " + rows[1][0] + " " + rows[2][0], "vmaf psnr_y float_ssim");
}

// The score of VMAF has no one scale: its title says which it is.
TEST(ModelTitles, AreThereWherePeopleRead) {
  std::vector<NamedReport> runs = {run_of("a", {80, 90}, "vmaf"), run_of("b", {70, 75}, "vmaf")};
  for (NamedReport& run : runs) {
    run.report.run.models = {{.name = "vmaf", .source = "vmaf_v1.0.16_3d0h"}};
    run.report.metrics[0].model = "vmaf_v1.0.16_3d0h";
  }
  const std::string title = "VMAF v1",
                    purpose = "VMAF v1: for HD seen from 3 heights; not comparable with v0.6.1";
  const Report& report = runs[0].report;
  EXPECT_THAT(summary_text(report, {}),
              AllOf(HasSubstr("\n" + title + " "), HasSubstr("\n" + purpose + "\n")));
  EXPECT_THAT(run_markdown("a", report),
              AllOf(HasSubstr("| " + title + " |"), HasSubstr("\n" + purpose + ".")));
  const ComparisonBasis basis{"vmaf", named("mean")};
  EXPECT_THAT(comparison_table(runs, basis).text(), HasSubstr(title + " of"));
  EXPECT_THAT(comparison_markdown(runs, basis),
              AllOf(HasSubstr(title + " of"), HasSubstr("\n" + purpose + ".")));
  EXPECT_THAT(batch_table(batch_of(report)).text(), HasSubstr(title + " of"));
  // Names for programs stay, and a report that is read back has the title of its model.
  const std::string extended = write_report(report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_THAT(extended, Not(HasSubstr(title)));
  EXPECT_THAT(comparison_csv(runs, basis, {}), Not(HasSubstr(title)));
  const Report read = parse_report(extended, "a.json").report;
  EXPECT_EQ(title_of(read.metrics.at(0)), title);
  EXPECT_EQ(purpose_of(read.metrics.at(0)), purpose);
  EXPECT_EQ(find_named(read.metrics, title), 0U);
  EXPECT_EQ(title_of({"vmaf", {}}), "VMAF");
  EXPECT_EQ(title_of({.name = "vmaf", .values = {}, .model = "models/a.json"}), "a.json");
  EXPECT_EQ(title_of({.name = "mine", .values = {}, .model = "models/a.json"}), "mine");
}

// Videos of a batch may have been scored by several models, which "auto" chose.
TEST(ModelTitles, AreLeftOutOfABatchOfSeveralModels) {
  Report hd = run_of("a", {80, 90}, "vmaf").report, uhd = hd;
  hd.metrics[0].model = "vmaf_v1.0.16_3d0h";
  uhd.metrics[0].model = "vmaf_v1.0.16_1d5h_2160";
  BatchSummary batch = batch_of(hd);
  EXPECT_EQ(title_of(*leading_of(batch)), "VMAF v1");
  batch.videos.push_back(batch_of(uhd).videos[0]);
  EXPECT_EQ(title_of(*leading_of(batch)), "VMAF");
  EXPECT_THAT(batch_table(batch).text(), HasSubstr("vmaf of"));
}

TEST(ModelTitles, OfOneKindHaveTheNamesOfTheirScores) {
  Report report = run_of("a", {80, 90}, "vmaf").report;
  report.metrics[0].model = "vmaf_v1.0.16_3d0h";
  report.metrics.push_back(report.metrics[0]);
  report.metrics[1].model = "vmaf_v0.6.1";
  report.metrics[1].name = "old";
  EXPECT_THAT(metric_labels(report.metrics), ElementsAre("VMAF v1", "VMAF v0.6.1"));
  report.metrics[1].model = "vmaf_v1.0.16_hfr_3d0h";
  EXPECT_THAT(metric_labels(report.metrics), ElementsAre("VMAF v1 (vmaf)", "VMAF v1 (old)"));
}

TEST(Samples, SayWhatTheyAreOf) {
  const auto every = [](int64_t n) { return sample_text(n, false); };
  EXPECT_EQ(every(2) + ", " + every(3) + ", " + every(11) + ", " + every(21),
            "every 2nd frame, every 3rd frame, every 11th frame, every 21st frame");
  EXPECT_EQ(sample_text(3, true), "one of every 3 frames");
  NamedReport run = run_of("a", {1, 2});
  run.report.run.subsample = 4;
  EXPECT_THAT(summary_text(run.report, {}), HasSubstr("every 4th frame"));
  EXPECT_THAT(run_markdown("a", run.report), HasSubstr("every 4th frame"));
  const std::string extended = write_report(run.report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_EQ(parse_report(extended, "a.json").report.run.subsample, 4);
  NamedReport spread = run;
  spread.report.run.sample_is_spread = true;
  const std::string text = write_report(spread.report, {.format = ReportFormat::kJson, .extended = true});
  const Report read = parse_report(text, "a.json").report;
  EXPECT_THAT(summary_text(read, {}), HasSubstr("one of every 4 frames"));
  EXPECT_THAT(remarks_on({run, spread}, {"cambi", named("mean")}),
              Contains(HasSubstr("one of every 4 frames")));
  const std::vector<NamedReport> alike = {run, run};
  EXPECT_THAT(remarks_on(alike, {"cambi", named("mean")}), Contains(HasSubstr("every 4th frame")));
  const std::vector<NamedReport> different = {run, run_of("b", {1, 2})};
  EXPECT_THAT(remarks_on(different, {"cambi", named("mean")}),
              Contains(AllOf(HasSubstr("every 4th frame (a)"), HasSubstr("every frame (b)"))));
  const std::string plain = write_report(run_of("b", {1}).report, {ReportFormat::kJson, {}, true});
  EXPECT_EQ(parse_report(plain, "b").report.run.subsample, 1);
  EXPECT_THAT(summary_text(run_of("b", {1, 2}).report, {}), Not(HasSubstr("every")));
}

TEST(Samples, OfRunsAndBatchesAreTold) {
  const std::string clip = testdata("clips/static_640x360_8b.mp4");
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::run_program({clip, "--subsample", "4"}).out, HasSubstr("every 4th frame"));
  test::run_well({"batch", clip, "--reports", folder.path(), "--subsample", "3"});
  EXPECT_THAT(test::read_file(folder.path() + "/summary.json"), HasSubstr("every 3rd frame"));
}

// Scores of pictures that equal their reference: one rule for them in statistics, thresholds, baselines,
// rankings and files.

using nlohmann::json;

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
  for (const char* const text : {"mean<-1", "mean<=-1", "p5<-10%", "mean>+1", "mean>+10%", "stdev>+1"})
    EXPECT_FALSE(crosses(perfect, text, perfect)) << text;
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
  return parse_report(text, "a.json").report.metrics[0].values;
}

TEST(InfiniteScores, AreReadBackAsWhatTheyWere) {
  for (const bool extended : {false, true}) {
    EXPECT_THAT(written_and_read("ciede2000", {1, kEndlessScore, kEndlessScore}, extended),
                ElementsAre(1, kEndlessScore, kEndlessScore));
    EXPECT_THAT(written_and_read("psnr_hvs_cb", {kEndlessScore}, extended), ElementsAre(kEndlessScore));
    EXPECT_THAT(written_and_read("float_ssim", {kEndlessScore}, extended), ElementsAre(kEndlessScore));
    // Of these a score may be missing.
    for (const char* const metric : {"float_ms_ssim", "integer_adm2", "vmaf", "unheard_of"})
      EXPECT_TRUE(std::isnan(written_and_read(metric, {kNaN, 1}, extended)[0])) << metric;
  }
  EXPECT_THAT(written_and_read("float_ms_ssim", {kEndlessScore, 3}, true), ElementsAre(kEndlessScore, 3));
  EXPECT_TRUE(std::isnan(
      written_and_read("float_ms_ssim", {kEndlessScore, 3}, false)[0]));  // there is no place for it
}

TEST(InfiniteScores, AreNamedByTheLinesOfScores) {
  const json line = json::parse(score_line(
      {.frame = 3, .timestamp = {}, .metrics = {{"a", 1}, {"b", kEndlessScore}}, .texts = {}}, {}));
  EXPECT_EQ(line["infinite"], json({"b"}));
}

TEST(InfiniteScores, ThresholdsOfASavedReportHaveTheirValue) {
  Report report = report_with("ciede2000", {kEndlessScore, kEndlessScore});
  const std::vector<Threshold> thresholds = {parse_threshold("ciede2000:p5<20", ThresholdSide::kBelow)};
  report.run.thresholds = judge(thresholds, report);
  const std::string text = write_report(report, {.format = ReportFormat::kJson, .extended = true});
  EXPECT_EQ(parse_report(text, "a.json").report.run.thresholds[0].value, kEndlessScore);
}

TEST(InfiniteScores, RankFirstAndTheFewerAreFiniteTheBetter) {
  std::vector<NamedReport> runs = {run_of("lossy", {40, 44}, "ciede2000"),
                                   run_of("half", {kEndlessScore, 44}, "ciede2000"),
                                   run_of("less", {30, 44, kEndlessScore, kEndlessScore}, "ciede2000"),
                                   run_of("perfect", {kEndlessScore, kEndlessScore}, "ciede2000"),
                                   run_of("lacks", {kNaN, 44}, "ciede2000")};
  EXPECT_THAT(ranking(runs, {"ciede2000", named("mean")}), ElementsAre(3, 1, 2, 0, 4));
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  rank(runs, {"ciede2000", named("mean")});
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
