// The ranking of runs.
#include "cli/reports/compare.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/summary.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

std::vector<std::string> names(const std::vector<NamedReport>& runs) {
  std::vector<std::string> list;
  for (const NamedReport& run : runs) list.push_back(run.name);
  return list;
}

TEST(Compare, RanksTheLowestFirstAndWhatIsNoNumberLast) {
  std::vector<NamedReport> runs = {run_of("none", {kNaN, 0}), run_of("high", {1, 9}), run_of("low", {4, 5}),
                                   run_of("same", {5, 4})};
  rank(runs, {"cambi", named("max")});
  EXPECT_EQ(names(runs), (std::vector<std::string>{"low", "same", "high", "none"}));
  rank(runs, {"cambi", named("min")});
  EXPECT_EQ(names(runs), (std::vector<std::string>{"high", "low", "same", "none"}));
}

TEST(Compare, OfAnUnknownMetricTheLowestIsFirstAndThatIsTold) {
  std::vector<NamedReport> runs = {run_of("high", {9}), run_of("low", {1})};
  for (NamedReport& run : runs) run.report.metrics[0].name = "unheard_of";
  const ComparisonBasis basis{"unheard_of", named("mean")};
  rank(runs, basis);
  EXPECT_EQ(names(runs), (std::vector<std::string>{"low", "high"}));
  EXPECT_THAT(remarks_on(runs, basis),
              ElementsAre("Whether a low or a high unheard_of is better is not known here. "
                          "The lowest is first."));
}

TEST(Compare, WhatAScoreMeansInOneRunItMeansInThoseThatDoNotSay) {
  std::vector<NamedReport> runs = {run_of("low", {50}, "mine"), run_of("high", {90}, "mine")};
  EXPECT_FALSE(is_model_score(runs[0].report.metrics[0]));
  const std::string model = "mine";
  runs[1].report.metrics[0].info = find_model_score(model, {&model, 1});
  share_meanings(runs);
  EXPECT_TRUE(is_model_score(runs[0].report.metrics[0]));
  rank(runs, {model, named("mean")});
  EXPECT_EQ(names(runs), (std::vector<std::string>{"high", "low"}));
}

TEST(Compare, TakesTheFirstMetricThatAllHave) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  runs[0].report.metrics.push_back({"cambi_source", {2}});
  runs[1].report.metrics = {{"cambi_source", {2}}};
  EXPECT_EQ(common_metric(runs, ""), "cambi_source");
  EXPECT_EQ(common_metric(runs, "cambi_source"), "cambi_source");
  EXPECT_EQ(vq::test::expect_error(ErrorKind::kMismatch, {}, [&] { common_metric(runs, "cambi"); }),
            "b has cambi_source, but not cambi. Try --metric, or score all with the same options.");
  runs[0].report.metrics.pop_back();
  EXPECT_THAT(vq::test::expect_error(ErrorKind::kMismatch, {}, [&] { common_metric(runs, ""); }),
              HasSubstr("b has cambi_source"));
}

TEST(Compare, PrefersAMetricThatJudges) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  for (NamedReport& run : runs)
    run.report.metrics.insert(run.report.metrics.begin(), {"bounds_share", {0.5}});
  EXPECT_EQ(common_metric(runs, ""), "cambi");
  EXPECT_EQ(common_metric(runs, "bounds_share"), "bounds_share");
  runs[1].report.metrics.pop_back();
  EXPECT_EQ(common_metric(runs, ""), "bounds_share");
  EXPECT_THAT(remarks_on(runs, {"bounds_share", named("mean")}),
              ElementsAre("Neither a low nor a high bounds_share is better. The lowest is first."));
}

// Tables of one metric are in tests/program/messages/compare.txt.
TEST(Compare, TheStatisticThatRanksIsTheFirst) {
  EXPECT_THAT(comparison_table({run_of("a.mkv", {1, 2})}, {"cambi", named("harmonic")}).text(),
              HasSubstr("#  cambi of  harmonic   mean    max"));
}

TEST(Compare, TheTableHasOtherMetricsAndWhatRunsCost) {
  std::vector<NamedReport> runs = {run_of("a", {1, 2}), run_of("b", {5, 7})};
  for (NamedReport& run : runs) run.report.metrics.push_back({"cambi_source", {0.5, 0.25}});
  InputFacts& video = runs[1].report.run.inputs[0];
  video.bit_rate = 1156569;
  video.bit_rate_of = "file";
  video.file_bytes = 86903191;
  EXPECT_EQ(comparison_table(runs, {"cambi", named("mean"), {"cambi_source"}}).text(),
            "#  cambi of   mean    max    p99    p95    p50  frames >= 5  cambi_source mean  kbit/s     size "
            " frames\n"
            "1  a         1.500  2.000  1.990  1.950  1.500    0 (0.0 %)              0.375       -        - "
            "      2\n"
            "2  b         6.000  7.000  6.980  6.900  6.000  2 (100.0 %)              0.375   1157*  86.9 MB "
            "      2\n");
}

// Many features make one score; what they found stands in the reports.
TEST(Compare, BesideTheScoreOfAModelTheTableHasWhatIsJudgedByItself) {
  NamedReport run = run_of("a", {1, 2});
  run.report.metrics[0].name = "cambi_hrs_1080_cmxv_17_vlt_0.06";
  std::vector<std::string> others = {run.report.metrics[0].name};
  for (const char* const name : {"integer_adm2", "integer_adm3", "integer_aim", "integer_vif_scale0",
                                 "integer_vif_scale1", "integer_vif_scale2"}) {
    run.report.metrics.push_back({name, {0.5, 0.5}});
    others.emplace_back(name);
  }
  run.report.metrics.push_back({"vmaf", {80, 90}});
  EXPECT_EQ(
      comparison_table({run}, {"vmaf", named("mean"), others}).text(),
      "#  vmaf of    mean  harmonic     min      p1      p5     p50  frames <= 70  cambi mean  frames\n"
      "1  a        85.000    84.709  80.000  80.100  80.500  85.000     0 (0.0 %)       1.500       2\n");
  others.pop_back();
  EXPECT_THAT(comparison_table({run}, {"vmaf", named("mean"), others}).text(),
              HasSubstr("integer_adm2 mean"));
}

TEST(Compare, OtherMetricsAreThoseThatJudgeAndAllHave) {
  std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {1})};
  for (NamedReport& run : runs) run.report.metrics.push_back({"bounds_share", {0.5}});
  for (NamedReport& run : runs) run.report.metrics.push_back({"psnr_y", {40}});
  runs[0].report.metrics.push_back({"cambi_source", {40}});
  EXPECT_THAT(other_common_metrics(runs, "cambi"), ElementsAre("psnr_y"));
  EXPECT_THAT(other_common_metrics(runs, "psnr_y"), ElementsAre("cambi"));
  // What a model is made of nobody asked for.
  for (NamedReport& run : runs) run.report.metrics.push_back({"integer_adm2", {0.5}, nullptr, true});
  EXPECT_THAT(other_common_metrics(runs, "cambi"), ElementsAre("psnr_y"));
  EXPECT_THAT(other_common_metrics(runs, "cambi", true), ElementsAre("integer_adm2"));
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

TEST(Compare, WhatIsMissingIsNoNumber) {
  const std::vector<NamedReport> runs = {run_of("a.mkv", {1, 2}), run_of("part.json", {5, kNaN, 3})};
  EXPECT_THAT(comparison_table(runs, {"cambi", named("mean")}).text(), Not(HasSubstr("nan")));
}

TEST(Compare, FilesHaveTheRanking) {
  const std::vector<NamedReport> runs = {run_of("a|b,\"c\".mkv", {1, 2.25}), run_of("none.mkv", {5, kNaN})};
  const ComparisonBasis basis{"cambi", named("p75")};
  const auto parsed = nlohmann::json::parse(comparison_json(runs, basis, {}));
  EXPECT_EQ(parsed["by"], "p75");
  EXPECT_EQ(parsed["remarks"].size(), 2U);  // a score is missing, and banding is not all
  EXPECT_EQ(parsed["runs"][0]["rank"], 1);
  EXPECT_EQ(parsed["runs"][0]["statistics"]["p75"], 1.9375);
  EXPECT_EQ(parsed["runs"][0]["statistics"]["share"], 0.0);
  EXPECT_TRUE(parsed["runs"][1]["statistics"]["mean"].is_null());
  EXPECT_EQ(
      nlohmann::json::parse(comparison_json(
          runs, basis, {.numbers = {NumberStyle::Kind::kSignificant, 2}}))["runs"][0]["statistics"]["p75"],
      1.9);
  const std::string csv = comparison_csv(runs, basis, {});
  EXPECT_THAT(
      csv,
      HasSubstr("rank,name,path,frames,mean,harmonic_mean,stdev,min,p1,p5,p10,p50,p90,p95,p99,max,share,p75,"
                "file_bytes,duration,bit_rate,bit_rate_of,bits_per_pixel,worth_its_bits,comparable,"
                "curve,width,height,on_hull,is_rung,bd_rate,bd_score,target_bit_rate,target_file_bytes\n"));
  EXPECT_THAT(csv, HasSubstr("\n1,\"a|b,\"\"c\"\".mkv\",,2,1.625000,"));
  EXPECT_THAT(csv, testing::ContainsRegex(
                       "\n2,none.mkv,,2,,,,,,,,,,,,,,,,0\\.083416[0-9]*,,,,,true,,3840,2160,,,,,,\n"));
  const std::string markdown = comparison_markdown(runs, basis);
  EXPECT_THAT(markdown, HasSubstr("| # | cambi of | p75 |"));
  EXPECT_THAT(markdown, HasSubstr("\n| ---: | --- | ---: |"));
  EXPECT_THAT(markdown, HasSubstr("| a\\|b,"));
}

TEST(Compare, FilesHaveOtherMetricsBitsThresholdsAndMoments) {
  std::vector<NamedReport> runs = {run_of("a", {1, 2, 8}), run_of("b", {5, 7, 9})};
  for (NamedReport& run : runs) run.report.metrics.push_back({"psnr_y", {40, 42, 44}});
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 5000;
  runs[0].report.run.inputs[0].bit_rate_of = "stream";
  runs[1].thresholds = {{"max>5", "cambi", "max", 9, true}};
  const ComparisonBasis basis{"cambi", named("mean"), {"psnr_y"}};
  const auto parsed = nlohmann::json::parse(comparison_json(runs, basis, {.moments = 1}));
  EXPECT_EQ(parsed["better"], "lower");
  EXPECT_EQ(parsed["runs"][0]["bit_rate"], 5000);
  EXPECT_EQ(parsed["runs"][0]["bit_rate_of"], "stream");
  EXPECT_EQ(parsed["runs"][0]["encoder"], "x265 (build 199)");
  EXPECT_EQ(parsed["runs"][0]["worth_its_bits"], true);
  EXPECT_EQ(parsed["runs"][1]["worth_its_bits"], false);
  EXPECT_EQ(parsed["runs"][1]["others"]["psnr_y"]["mean"], 42);
  EXPECT_EQ(parsed["runs"][0]["thresholds"].size(), 0U);
  EXPECT_EQ(parsed["runs"][1]["thresholds"][0]["crossed"], true);
  ASSERT_EQ(parsed["moments"]["differing"].size(), 1U);
  EXPECT_EQ(parsed["moments"]["differing"][0]["frameNum"], 1);
  EXPECT_EQ(parsed["moments"]["differing"][0]["spread"], 5);
  EXPECT_EQ(parsed["moments"]["differing"][0]["scores"], (std::vector<double>{2, 7}));
  EXPECT_EQ(parsed["moments"]["worst_of_first"][0]["frameNum"], 2);
  const std::string csv = comparison_csv(runs, basis, {});
  EXPECT_THAT(csv, HasSubstr(",worth_its_bits,comparable,mean of psnr_y,curve,"));
  EXPECT_THAT(csv, HasSubstr(",5000,stream,,true,true,42.000000,x265,3840,2160,,,,,,\n"));
}

// Moments of several runs at once.

using testing::Field;

// A second of so many frames at each of the levels, one after the other.
NamedReport steps(const std::string& name, const std::vector<double>& levels, int rate = 10) {
  std::vector<double> values;
  for (const double level : levels) values.insert(values.end(), static_cast<size_t>(rate), level);
  NamedReport run = run_of(name, values);
  for (size_t i = 0; i < values.size(); ++i) run.report.timestamps[i] = static_cast<double>(i) / rate;
  return run;
}

auto at(int64_t frame) { return Field(&SharedMoment::frame, frame); }

TEST(RunMoments, AreWhereTheScoresLieFurthestApartMostFirst) {
  std::vector<NamedReport> runs = {steps("a", {1, 1, 1, 1}), steps("b", {1, 1, 1, 1}),
                                   steps("c", {1, 1, 1, 1})};
  runs[0].report.metrics[0].values[12] = 3;
  runs[1].report.metrics[0].values[12] = 0.5;
  runs[0].report.metrics[0].values[2] = 5;
  runs[2].report.metrics[0].values[31] = 9;
  const std::vector<SharedMoment> found = differing_moments(runs, "cambi", 6);
  ASSERT_THAT(found, ElementsAre(at(31), at(2), at(12)));
  EXPECT_EQ(found[0].spread, 8);
  EXPECT_EQ(found[0].timestamp, 3.1);
  EXPECT_EQ(found[1].spread, 4);
  EXPECT_EQ(found[2].spread, 2.5);
  EXPECT_EQ(found[2].scores, (std::vector<std::optional<double>>{3, 0.5, 1}));
  EXPECT_THAT(differing_moments(runs, "cambi", 1), ElementsAre(at(31)));
}

TEST(RunMoments, OneASecondAndOfEqualOnesTheFirst) {
  const std::vector<NamedReport> runs = {steps("a", {1, 1, 1, 1}), steps("b", {2, 3, 2.5, 3})};
  EXPECT_THAT(differing_moments(runs, "cambi", 6), ElementsAre(at(10), at(30), at(0)));
}

TEST(RunMoments, FramesThatAllScoreAlikeAreNone) {
  const std::vector<NamedReport> runs = {steps("a", {1, 4}), steps("b", {1, 4})};
  EXPECT_THAT(differing_moments(runs, "cambi", 6), IsEmpty());
}

TEST(RunMoments, NeedTwoScoresThatAreNumbers) {
  std::vector<NamedReport> runs = {run_of("a", {1, 2, kNaN}), run_of("b", {1})};
  EXPECT_THAT(differing_moments(runs, "cambi", 6), IsEmpty());
  runs.push_back(run_of("c", {1, 2, 3}));
  EXPECT_THAT(differing_moments(runs, "cambi", 6), IsEmpty());
  runs[2].report.metrics[0].values[1] = 2.5;
  const std::vector<SharedMoment> found = differing_moments(runs, "cambi", 6);
  ASSERT_THAT(found, ElementsAre(at(1)));
  EXPECT_EQ(found[0].scores[1], std::nullopt);
  EXPECT_EQ(found[0].spread, 0.5);
}

TEST(RunMoments, TheNumberOfAFrameCountsAndNotItsPlace) {
  std::vector<NamedReport> runs = {run_of("a", {1, 2, 3}), run_of("b", {3, 5})};
  runs[1].report.frames = {2, 7};
  EXPECT_THAT(differing_moments(runs, "cambi", 6), IsEmpty());
  runs[1].report.metrics[0].values[0] = 4;
  EXPECT_THAT(differing_moments(runs, "cambi", 6), ElementsAre(at(2)));
}

TEST(RunMoments, TheWorstOfTheFirstRunBringsTheOthers) {
  std::vector<NamedReport> runs = {steps("a", {1, 1}), steps("b", {5, 5})};
  runs[0].report.metrics[0].values[13] = 2;
  const std::vector<SharedMoment> found = worst_moments_of_first(runs, "cambi", 6);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].frame, 13);
  EXPECT_EQ(found[0].scores, (std::vector<std::optional<double>>{2, 5}));
}

}  // namespace

}  // namespace vq::cli
