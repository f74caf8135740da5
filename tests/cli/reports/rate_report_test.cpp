// What comparisons say about rate and quality.
#include "cli/reports/rate_report.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/summary.h"
#include "cli/system/files.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

constexpr PlaneSize kFull = {1280, 720}, kHalf = {640, 360};
constexpr NumberStyle kExact = {NumberStyle::Kind::kShortest, 0};

struct Encoded {
  std::string name;
  int64_t rate = 0;
  double score = 0;
  std::string encoder = "x264 - core 164";
  PlaneSize size = kFull;
};

NamedReport encoded(const Encoded& what, const std::string& metric = "psnr_y") {
  NamedReport run = run_of(what.name, {what.score, what.score}, metric);
  InputFacts& video = run.report.run.inputs[0];
  video.bit_rate = what.rate;
  video.bit_rate_of = "stream";
  video.duration = 10;
  video.encoder = what.encoder;
  video.encoder_settings = "rc=crf crf=23.0 qpmin=0";
  video.width = what.size.width;
  video.height = what.size.height;
  return run;
}

std::vector<NamedReport> all_encoded(const std::vector<Encoded>& list, const std::string& metric = "psnr_y") {
  std::vector<NamedReport> runs;
  for (const Encoded& one : list) {
    runs.push_back(encoded(one, metric));
    runs.back().position = runs.size() - 1;
  }
  return runs;
}

// x265 takes three quarters of the bits of x264.
std::vector<NamedReport> two_encoders() {
  std::vector<Encoded> list;
  const std::vector<std::pair<int64_t, double>> points = {
      {1'000'000, 30}, {2'000'000, 35}, {4'000'000, 39}, {8'000'000, 41}};
  for (const auto& [rate, score] : points)
    list.push_back({"x264_" + std::to_string(rate / 1000), rate, score});
  for (const auto& [rate, score] : points)
    list.push_back({"x265_" + std::to_string(rate / 1000), rate * 3 / 4, score, "x265 (build 199)"});
  return all_encoded(list);
}

ComparisonBasis by_mean(const std::string& metric = "psnr_y") { return {metric, named("mean")}; }

std::string choice_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const auto choice = rate_choice(rate_report(runs, basis));
  return choice ? choice->text : "";
}

TEST(RateReport, NamesTheKnee) {
  const std::vector<NamedReport> runs =
      all_encoded({{"huge", 5'948'000, 42.25}, {"good", 1'361'000, 42.07}, {"small", 400'000, 33}});
  EXPECT_EQ(choice_text(runs, by_mean()), "good is 0.18 dB below the best PSNR, for 23 % of its bits");
  ComparisonBasis by_low = by_mean();
  by_low.statistic = named("p5");
  EXPECT_EQ(choice_text(runs, by_low),
            "good is 0.18 dB below the best 5th percentile of PSNR, for 23 % of its bits");
  EXPECT_EQ(choice_text(all_encoded({{"a", 1'000'000, 42}, {"b", 2'000'000, 41}}), by_mean()),
            "a has the best PSNR at the lowest bit rate");
  EXPECT_EQ(choice_text(all_encoded({{"a", 1'000, 30}, {"b", 2'000'000, 41}}), by_mean()),
            "a is 11 dB below the best PSNR, for under 1 % of its bits");
}

// VMAF of 70 or less is worth a remark.
TEST(RateReport, LeavesOutWhatIsNoteworthy) {
  const std::vector<NamedReport> runs = all_encoded({{"best", 8'000'000, 99},
                                                     {"good", 4'000'000, 98.5},
                                                     {"fair", 2'000'000, 96},
                                                     {"poor", 100'000, 60},
                                                     {"poorest", 50'000, 40}},
                                                    "vmaf");
  EXPECT_EQ(choice_text(runs, by_mean("vmaf")), "good is 0.5 below the best VMAF, for 50 % of its bits");
  EXPECT_EQ(
      choice_text(all_encoded({{"best", 8'000'000, 99}, {"poor", 100'000, 60}}, "vmaf"), by_mean("vmaf")),
      "best has the best VMAF; all cheaper ones are at 70 or below");
  EXPECT_EQ(
      choice_text(all_encoded({{"poor", 8'000'000, 60}, {"poorer", 100'000, 59}}, "vmaf"), by_mean("vmaf")),
      "poorer is 1 below the best VMAF, for 1 % of its bits");
}

// The worst encode may band least.
TEST(RateReport, RecommendsNoRunByBandingAlone) {
  const std::vector<NamedReport> runs =
      all_encoded({{"good", 8'000'000, 1}, {"poor", 100'000, 0.5}}, "cambi");
  const auto choice = rate_choice(rate_report(runs, by_mean("cambi")));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->text, "poor has the lowest CAMBI");
  EXPECT_EQ(choice->run, std::nullopt);
  EXPECT_EQ(rates_text(runs, by_mean("cambi"), 0), "poor has the lowest CAMBI.\n");
  EXPECT_THAT(remarks_on(runs, by_mean("cambi")),
              Contains("Ranked by banding alone, which says nothing of blur or blocks."));
  EXPECT_THAT(remarks_on(two_encoders(), by_mean()), Not(Contains(HasSubstr("alone"))));
}

TEST(RateReport, RoundsUpHowFarTheChoiceIsFromTheBest) {
  const auto within = [](double difference, const std::string& metric) {
    const std::string text = choice_text(
        all_encoded({{"a", 1'000'000, 90 - difference}, {"b", 2'000'000, 90}}, metric), by_mean(metric));
    return text.substr(0, text.find(" dB below the best"));
  };
  EXPECT_EQ(within(13.751, "psnr_y"), "a is 13.8");
  EXPECT_EQ(within(0.0004, "psnr_y"), "a is 0.001");
  EXPECT_EQ(within(0.12, "psnr_y"), "a is 0.12");
}

TEST(RateReport, IsNotKnownWithoutRatesOrSides) {
  std::vector<NamedReport> runs = all_encoded({{"a", 1'000'000, 40}, {"b", 2'000'000, 42}});
  EXPECT_TRUE(rate_report(runs, by_mean()).is_known());
  runs[0].report.run.inputs[0].bit_rate.reset();
  EXPECT_EQ(choice_text(runs, by_mean()), "");
  EXPECT_TRUE(rates_json(runs, by_mean(), kExact).is_null());
  EXPECT_EQ(rates_text(runs, by_mean(), 0), "");
  runs = all_encoded({{"a", 1'000'000, 40}, {"b", 2'000'000, 42}}, "bounds_share");
  EXPECT_TRUE(rates_json(runs, by_mean("bounds_share"), kExact).is_null());
  runs = all_encoded({{"a", 1'000'000, 40}, {"b", 2'000'000, 42}, {"c", 3'000'000, 44}});
  runs[2].report.run.pair_faults = {{PairFaultKind::kRate, {"The frame rates differ"}}};
  runs[1].report.metrics[0].values[0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(rate_report(runs, by_mean()).is_known());
}

TEST(RateReport, CountsDifferencesFromTheEncoderThatWasGivenFirst) {
  std::vector<NamedReport> runs = two_encoders();
  const std::string before = rates_text(runs, by_mean(), 0);
  EXPECT_THAT(
      before,
      HasSubstr("Bjontegaard differences from x264\n"
                "curve  against  metric   BD-rate  BD-score  over\n"
                "x265   x264     psnr_y  -25.00 %    +1.542  30.000 to 41.000, 1000 to 6000 kbit/s\n"));
  rank(runs, by_mean());
  EXPECT_EQ(runs.front().name, "x264_8000");
  EXPECT_THAT(rates_text(runs, by_mean(), 0), HasSubstr(before.substr(before.find("Bjontegaard"))));
  ComparisonBasis basis = by_mean();
  basis.rates.anchor = "x265";
  EXPECT_THAT(rates_text(runs, basis, 0), HasSubstr("x264   x265     psnr_y  +33.33 %"));
  EXPECT_THAT(rates_markdown(runs, basis), HasSubstr("| x264 | x265 | psnr_y | +33.33 % |"));
}

// Of the second metric x265 needs all bits of x264; the third has no side.
TEST(RateReport, CountsDifferencesByEachMetricThatWasAskedFor) {
  std::vector<NamedReport> runs = two_encoders();
  for (size_t i = 0; i < runs.size(); ++i) {
    std::vector<Metric>& metrics = runs[i].report.metrics;
    metrics.push_back({"ssimulacra2", {40.0 + 10 * (i % 4), 40.0 + 10 * (i % 4)}});
    metrics.push_back({"bounds_share", {0.5, 0.5}});
    if (i >= 4) runs[i].report.run.inputs[0].bit_rate = *runs[i - 4].report.run.inputs[0].bit_rate;
    if (i >= 4) metrics[0].values = {metrics[0].values[0] + 1, metrics[0].values[1] + 1};
  }
  ComparisonBasis basis = by_mean();
  basis.others = {"ssimulacra2", "bounds_share"};
  const std::string text = rates_text(runs, basis, 0);
  EXPECT_THAT(text, HasSubstr("x265   x264     psnr_y       -1"));
  EXPECT_THAT(text, HasSubstr("x265   x264     ssimulacra2    0.00 %     0.000  40.000 to 70.000, "));
  EXPECT_THAT(text, Not(HasSubstr("bounds_share")));
  EXPECT_THAT(rates_markdown(runs, basis), HasSubstr("| x265 | x264 | ssimulacra2 | 0.00 % |"));
  const ordered_json differences = rates_json(runs, basis, kExact)["differences"];
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[1]["metric"], "ssimulacra2");
  EXPECT_NEAR(differences[1]["bd_rate"], 0, 1e-9);
  const CsvColumns csv = rates_csv(runs, basis, {NumberStyle::Kind::kSignificant, 4});
  EXPECT_THAT(csv_line(csv.heading), testing::EndsWith(",bd_rate of ssimulacra2,bd_score of ssimulacra2\n"));
  EXPECT_THAT(csv_line(csv.fields[4]), testing::EndsWith(",0,0\n"));
  EXPECT_THAT(csv_line(csv.fields[0]), testing::EndsWith(",,\n"));
  basis.statistic = named("p5");
  EXPECT_THAT(rates_text(runs, basis, 0),
              HasSubstr("Bjontegaard differences from x264, by the 5th percentile\n"));
}

TEST(RateReport, OfAMetricOfWhichLessIsBetterTheFiguresAreItsOwn) {
  std::vector<NamedReport> runs = two_encoders();
  for (NamedReport& run : runs) {
    run.report.metrics[0].name = "cambi";
    for (double& value : run.report.metrics[0].values) value = 50 - value;
  }
  const ordered_json difference = rates_json(runs, by_mean("cambi"), kExact)["differences"][0];
  EXPECT_NEAR(difference["bd_rate"], -25, 1e-9);
  EXPECT_LT(difference["bd_score"], 0);
  EXPECT_EQ(difference["scores"], ordered_json({9.0, 20.0}));
  EXPECT_EQ(difference["why_not"], "");
}

TEST(RateReport, SaysWhyThereAreNoDifferences) {
  const auto why = [](const std::vector<NamedReport>& runs, const std::string& anchor = "") {
    ComparisonBasis basis = by_mean();
    basis.rates.anchor = anchor;
    return rates_json(runs, basis, kExact)["differences"][0]["why_not"].get<std::string>();
  };
  std::vector<NamedReport> runs = two_encoders();
  EXPECT_EQ(why(runs, "vp9"), "nothing is called vp9");
  ComparisonBasis unknown = by_mean();
  unknown.rates.anchor = "vp9";
  EXPECT_THAT(remarks_on(runs, unknown),
              Contains("No encoder or curve is called vp9, so no differences from it are known. "
                       "Curves are: x264, x265."));
  runs[5].report.run.inputs[0].bit_rate = 740'000;
  EXPECT_EQ(why(runs), "x265_1000 takes no fewer bits than x265_2000 and scores no better");
  runs[4].report.run.inputs[0].width = 1920;
  EXPECT_EQ(why(runs), "x264 has no encodes of this size");
  runs.pop_back();
  runs.erase(runs.begin() + 4, runs.begin() + 6);
  EXPECT_EQ(why(runs), "x265 has fewer than 4 different points");
  runs = two_encoders();
  for (size_t i = 4; i < runs.size(); ++i) {
    for (double& value : runs[i].report.metrics[0].values) value += 20;
  }
  EXPECT_EQ(why(runs), "no scores or no rates in common");
}

TEST(RateReport, FewPointsAreNotTheOccasionForATableUnlessItIsAskedFor) {
  const std::vector<NamedReport> runs =
      all_encoded({{"a", 1'000'000, 40}, {"b", 2'000'000, 42, "x265 (build 199)"}});
  EXPECT_EQ(rates_text(runs, by_mean(), 0),
            "a is 2 dB below the best PSNR, for 50 % of its bits.\nNone is beaten by another.\n");
  ComparisonBasis basis = by_mean();
  basis.rates.anchor = "x265";
  EXPECT_THAT(rates_text(runs, basis, 0), HasSubstr("x265 has fewer than 4 different points"));
}

TEST(RateReport, GroupsByPatternsOfNamesAndPaths) {
  std::vector<NamedReport> runs = all_encoded(
      {{"slow_23", 1'000'000, 40}, {"slow_28", 500'000, 38}, {"fast_23", 1'200'000, 40}, {"b", 1, 1}});
  runs[3].path = "/in/slower/b.mkv";
  ComparisonBasis basis = by_mean();
  basis.rates.groups = {{"slow", "slow_*"}, {"slower", "*/slower/*"}, {"never", "slow_23"}};
  std::vector<std::string> encoders;
  for (const Encode& encode : rate_report(runs, basis).encodes) encoders.push_back(encode.encoder);
  EXPECT_THAT(encoders, ElementsAre("slow", "slow", "x264", "slower"));
}

TEST(RateReport, PatternsHaveStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_pattern("x264_slow_crf23", "*slow*"));
  EXPECT_TRUE(matches_pattern("slow", "slow"));
  EXPECT_TRUE(matches_pattern("slow", "*"));
  EXPECT_TRUE(matches_pattern("", "**"));
  EXPECT_TRUE(matches_pattern("aab", "a*?b"));
  EXPECT_TRUE(matches_pattern("abcbd", "a*b?"));
  EXPECT_FALSE(matches_pattern("slow", "slo"));
  EXPECT_FALSE(matches_pattern("slow", "?slow"));
  EXPECT_FALSE(matches_pattern("slow", ""));
  EXPECT_FALSE(matches_pattern("abc", "a*d"));
}

TEST(RateReport, FindsWhereATargetIsReached) {
  std::vector<NamedReport> runs = two_encoders();
  InputFacts source;
  source.role = "reference";
  source.bit_rate = 100'000'000;
  runs[0].report.run.inputs.push_back(source);
  ComparisonBasis basis = by_mean();
  basis.rates.target = 39;
  EXPECT_EQ(choice_text(runs, basis),
            "x265_4000 is the cheapest with PSNR of 39 or more: 39.000 at 3000 kbit/s");
  EXPECT_THAT(
      rates_text(runs, basis, 0),
      HasSubstr(
          "Bit rates at psnr_y 39, interpolated\n"
          "curve  kbit/s     size  of source  between\n"
          "x264     4000  5.00 MB      4.0 %  x264_2000 (crf 23, 35.000) and x264_4000 (crf 23, 39.000)\n"
          "x265     3000  3.75 MB      3.0 %  x265_2000 (crf 23, 35.000) and x265_4000 (crf 23, 39.000)\n"));
  basis.rates.target = 42;
  EXPECT_EQ(choice_text(runs, basis),
            "No run has PSNR of 42 or more: the best, x265_8000, has 41.000 at 6000 kbit/s");
  EXPECT_THAT(rates_text(runs, basis, 0), HasSubstr("not reached; the best is x264_8000 (crf 23, 41.000)"));
  basis.rates.target = 20;
  EXPECT_EQ(choice_text(runs, basis),
            "x265_1000 is the cheapest with PSNR of 20 or more: 30.000 at 750 kbit/s");
  EXPECT_THAT(rates_text(runs, basis, 0),
              HasSubstr("all reach it; the lowest is x264_1000 (crf 23, 30.000)"));
  runs[0].report.metrics[0].values = {36, 36};
  basis.rates.target = 35.5;
  EXPECT_THAT(
      rates_text(runs, basis, 0),
      HasSubstr("not interpolated: x264_2000 takes no fewer bits than x264_1000 and scores no better"));
}

TEST(RateReport, ATargetOfWhichLessIsBetter) {
  const std::vector<NamedReport> runs = all_encoded({{"a", 4'000'000, 1}, {"b", 1'000'000, 6}}, "cambi");
  ComparisonBasis basis = by_mean("cambi");
  basis.rates.target = 3.5;
  EXPECT_EQ(choice_text(runs, basis), "a is the cheapest with CAMBI of 3.5 or less: 1.000 at 4000 kbit/s");
  const ordered_json curve = rates_json(runs, basis, kExact)["target"]["curves"][0];
  EXPECT_EQ(curve["below"], 1);
  EXPECT_EQ(curve["above"], 0);
  EXPECT_NEAR(curve["bit_rate"], 2e6, 1);
  EXPECT_EQ(curve["file_bytes"], 2'500'000);
  EXPECT_TRUE(curve["share_of_source"].is_null());
}

std::vector<NamedReport> two_sizes() {
  return all_encoded({{"l1", 6'000'000, 42},
                      {"l2", 3'000'000, 40},
                      {"l3", 800'000, 30},
                      {"s1", 2'400'000, 37, "x264", kHalf},
                      {"s2", 1'000'000, 36, "x264", kHalf},
                      {"s3", 500'000, 31, "x264", kHalf}});
}

TEST(RateReport, HasALadderOfSeveralSizes) {
  const std::vector<NamedReport> runs = two_sizes();
  EXPECT_THAT(rates_text(runs, by_mean(), 0), HasSubstr("Ladder\n"
                                                        "encoder      size  kbit/s  psnr_y  run\n"
                                                        "x264      640x360    1000  36.000  s2\n"
                                                        "x264     1280x720    6000  42.000  l1\n"));
  ComparisonBasis basis = by_mean();
  basis.rates.ladder = {{1920, 1080}, kFull};
  basis.rates.target = 39.5;
  EXPECT_THAT(rates_text(runs, basis, 0),
              HasSubstr("x264      1280x720    3000  40.000  l2\n"
                        "x264     1920x1080       -       -  no encodes of this size\n"));
  basis.rates.target = 35;
  EXPECT_EQ(rates_json(runs, basis, kExact)["ladder"][0]["why_not"], "the target is reached below");
  EXPECT_THAT(rates_text(two_encoders(), by_mean(), 0), Not(HasSubstr("Ladder")));
}

TEST(RateReport, TheCsvFileHasItForEachRun) {
  const std::vector<NamedReport> runs = two_sizes();
  const CsvColumns sizes = rates_csv(runs, by_mean(), kExact);
  EXPECT_EQ(csv_line(sizes.fields[1]), "x264 1280x720,1280,720,true,false,,,,\n");
  EXPECT_EQ(csv_line(sizes.fields[3]), "x264 640x360,640,360,false,false,,,,\n");
  ComparisonBasis basis = by_mean();
  basis.rates.target = 40;
  std::vector<NamedReport> encoders = two_encoders();
  encoders[7].report.run.inputs.clear();
  encoders.push_back(encoded({"ninth", 6'000'000, 41, "x265 (build 199)"}));
  const CsvColumns csv = rates_csv(encoders, basis, {NumberStyle::Kind::kSignificant, 4});
  EXPECT_THAT(csv_line(csv.fields[0]), testing::MatchesRegex("x264,1280,720,,,,,5[0-9.]+e\\+06,[0-9]+\n"));
  EXPECT_THAT(csv_line(csv.fields[4]),
              testing::MatchesRegex("x265,1280,720,,,-25,1\\.[0-9]+,4\\.072e\\+06,[0-9]+\n"));
  EXPECT_EQ(csv_line(csv.fields[7]), ",,,,,,,,\n");
}

TEST(RateReport, IsInTheFilesOfAComparison) {
  std::vector<NamedReport> runs = two_encoders();
  rank(runs, by_mean());
  const ordered_json comparison = ordered_json::parse(comparison_json(runs, by_mean()));
  const ordered_json& rates = comparison["rates"];
  EXPECT_EQ(rates["curves"][1]["name"], "x265");
  EXPECT_EQ(comparison["runs"][rates["curves"][1]["runs"][0].get<size_t>()]["name"], "x265_1000");
  EXPECT_EQ(comparison["runs"][rates["choice"].get<size_t>()]["name"], "x265_4000");
  EXPECT_EQ(rates["front"].size(), 4U);
  EXPECT_TRUE(rates["target"].is_null());
  EXPECT_THAT(comparison_csv(runs, by_mean(), {}),
              HasSubstr(",comparable,curve,width,height,on_hull,is_rung,bd_rate,bd_score,target_bit_rate,"
                        "target_file_bytes"));
  EXPECT_THAT(comparison_markdown(runs, by_mean()),
              HasSubstr("x265_4000 is 2 dB below the best PSNR, for 50 % of its bits.\n\nBeaten: "));
}

TEST(RateReport, FindsTheQualityThatWasAskedFor) {
  EXPECT_EQ(quality_setting("cabac=1 rc=crf crf=23.5 qcomp=0.60 qpmin=0"), "crf 23.5");
  EXPECT_EQ(quality_setting("rc=cqp qp=30 qpmin=0"), "qp 30");
  EXPECT_EQ(quality_setting("qpmin=0 bitrate=400"), "");
  EXPECT_EQ(quality_setting(""), "");
}

// Bits and scores together.

NamedReport run_at(const std::string& name, std::optional<int64_t> rate, double score,
                   const std::string& metric = "cambi") {
  NamedReport run = run_of(name, {score, score}, metric);
  run.report.run.inputs[0].bit_rate = rate;
  return run;
}

const ComparisonBasis kByMeanRate = {"cambi", named("mean")};

std::string beaten_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis = kByMeanRate) {
  return beaten_text(rate_report(runs, basis));
}

NamedReport picture(const std::string& name, int64_t bytes, double score) {
  NamedReport run = run_at(name, std::nullopt, score, "ssimulacra2");
  InputFacts& video = run.report.run.inputs[0];
  video.file_bytes = bytes;
  video.bits_per_pixel = static_cast<double>(bytes) / 1000;
  return run;
}

TEST(RunRates, AreWorthTheirBitsWhereNoOtherIsAsGoodAtNoMore) {
  const std::vector<NamedReport> runs = {run_at("best", 4000, 1), run_at("beaten", 3000, 5),
                                         run_at("cheap", 2000, 4), run_at("worst", 1000, 9)};
  EXPECT_THAT(worth_their_bits(runs, kByMeanRate), ElementsAre(true, false, true, true));
  EXPECT_EQ(beaten_of({run_at("best", 4000, 40, "psnr_y"), run_at("beaten", 3000, 35, "psnr_y"),
                       run_at("cheap", 2000, 36, "psnr_y")},
                      {"psnr_y", named("mean")}),
            "Beaten: beaten (by cheap).");
  EXPECT_EQ(beaten_of(runs), "");  // banding alone says nothing of what is worth its bits
}

TEST(RunRates, OfEqualsNeitherBeatsTheOther) {
  EXPECT_THAT(worth_their_bits({run_at("a", 1000, 2), run_at("b", 1000, 2)}, kByMeanRate),
              ElementsAre(true, true));
  EXPECT_EQ(
      beaten_of({run_at("a", 1000, 2, "psnr_y"), run_at("b", 1000, 2, "psnr_y")}, {"psnr_y", named("mean")}),
      "None is beaten by another.");
  EXPECT_THAT(worth_their_bits({run_at("a", 1000, 2), run_at("b", 1000, 3)}, kByMeanRate),
              ElementsAre(true, false));
  EXPECT_THAT(worth_their_bits({run_at("a", 1000, 2), run_at("b", 1001, 2)}, kByMeanRate),
              ElementsAre(true, false));
}

TEST(RunRates, FollowTheBetterSideOfTheMetric) {
  const std::vector<NamedReport> runs = {run_at("a", 2000, 40, "psnr_y"), run_at("b", 1000, 38, "psnr_y"),
                                         run_at("c", 3000, 39, "psnr_y")};
  EXPECT_THAT(worth_their_bits(runs, {"psnr_y", named("mean")}), ElementsAre(true, true, false));
  std::vector<NamedReport> neutral = runs;
  for (NamedReport& run : neutral) run.report.metrics[0].name = "bounds_share";
  EXPECT_THAT(worth_their_bits(neutral, {"bounds_share", named("mean")}), Each(std::nullopt));
}

TEST(RunRates, WhatIsNotKnownIsNotJudged) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<NamedReport> runs = {run_at("a", 2000, 1), run_at("b", std::nullopt, 2),
                                         run_at("c", 1000, none)};
  EXPECT_THAT(worth_their_bits(runs, kByMeanRate), Each(std::nullopt));
  std::vector<NamedReport> more = runs;
  more.push_back(run_at("d", 1000, 2));
  EXPECT_THAT(worth_their_bits(more, kByMeanRate), ElementsAre(true, std::nullopt, std::nullopt, true));
  more[0].report.run.inputs.clear();
  EXPECT_EQ(distorted_input(more[0].report), nullptr);
  EXPECT_EQ(beaten_of(runs), "");
}

// One of which the front knows nothing neither beats nor is beaten.
TEST(RunRates, AnInfiniteScoreIsNotJudgedAndBeatsNone) {
  const double endless = std::numeric_limits<double>::infinity();
  const std::vector<NamedReport> runs = {run_at("lossless", 478, endless, "ciede2000"),
                                         run_at("good", 4000, 44, "ciede2000"),
                                         run_at("fair", 2000, 40, "ciede2000")};
  const ComparisonBasis basis = {"ciede2000", named("mean")};
  EXPECT_THAT(worth_their_bits(runs, basis), ElementsAre(std::nullopt, true, true));
  EXPECT_THAT(rate_report(runs, basis).front, ElementsAre(2U, 1U));
}

// Of pictures the size counts, whatever rate a demuxer makes up.
TEST(RunRates, PicturesAreComparedByTheirSizes) {
  const std::vector<NamedReport> runs = {picture("a.jxl", 42'700, 77.9), picture("a.avif", 45'200, 75.2),
                                         picture("a.webp", 30'000, 66)};
  ComparisonBasis basis = {"ssimulacra2", named("mean")};
  EXPECT_THAT(worth_their_bits(runs, basis), ElementsAre(true, false, true));
  EXPECT_EQ(beaten_of(runs, basis), "Beaten: a.avif (by a.jxl).");
  basis.rates.target = 70;
  EXPECT_THAT(rates_text(runs, basis, 0),
              StartsWith("a.jxl is the smallest with SSIMULACRA 2 of 70 or more: 77.9 at 42.7 kB.\n"
                         "Beaten: a.avif (by a.jxl).\n\n"
                         "Sizes at ssimulacra2 70, interpolated\n"));
  const std::string table = comparison_table(runs, basis).text();
  EXPECT_THAT(table, HasSubstr("   size  bits/px  frames\n"));
  EXPECT_THAT(table, HasSubstr("42.7 kB   42.700       2\n"));
  EXPECT_THAT(table, Not(HasSubstr("kbit/s")));
  const auto parsed = nlohmann::json::parse(comparison_json(runs, basis));
  EXPECT_EQ(parsed["runs"][0]["bits_per_pixel"], 42.7);
  EXPECT_TRUE(parsed["runs"][0]["bit_rate"].is_null());
  EXPECT_EQ(parsed["rates"]["cost"], "file_bytes");
  EXPECT_TRUE(parsed["rates"]["target"]["curves"][0]["bit_rate"].is_null());
  EXPECT_THAT(comparison_csv(runs, basis, {}), HasSubstr(",bit_rate_of,bits_per_pixel,"));
}

TEST(RunRates, APictureBesideVideosIsLeftOut) {
  const std::vector<NamedReport> runs = {picture("a.jxl", 42'700, 77.9), run_at("b", 1000, 75, "ssimulacra2"),
                                         run_at("c", 2000, 80, "ssimulacra2")};
  const ComparisonBasis basis = {"ssimulacra2", named("mean")};
  EXPECT_THAT(worth_their_bits(runs, basis), ElementsAre(std::nullopt, true, true));
  EXPECT_THAT(remarks_on(runs, basis),
              Contains("A single picture has a size and no bit rate, so it is left out of what is said "
                       "about bit rates: a.jxl."));
}

TEST(RunRates, CellsSayWhoseRateItIs) {
  InputFacts video;
  EXPECT_EQ(rate_cell(video), "-");
  EXPECT_EQ(size_cell(video.file_bytes), "-");
  EXPECT_EQ(bits_cell(video), "-");
  video.bit_rate = 1156569;
  video.bit_rate_of = "stream";
  video.file_bytes = 86903191;
  EXPECT_EQ(rate_cell(video), "1157");
  EXPECT_EQ(size_cell(video.file_bytes), "86.9 MB");
  for (const auto& [bytes, text] :
       std::vector<std::pair<int64_t, std::string>>{{812, "0.81 kB"},
                                                    {9994, "9.99 kB"},
                                                    {9995, "10.0 kB"},
                                                    {999499, "999 kB"},
                                                    {999500, "1.00 MB"},
                                                    {int64_t{7} << 40, "7.70 TB"}}) {
    EXPECT_EQ(size_cell(bytes), text);
  }
  video.bit_rate_of = "file";
  EXPECT_EQ(rate_cell(video), "1157*");
}

}  // namespace

}  // namespace vq::cli
