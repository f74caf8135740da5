// Bits and scores together.
#include "cli/reports/rate_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/reports/compare_files.h"
#include "cli/reports/comparison_table.h"
#include "cli/reports/rate_tables.h"
#include "cli/reports/summary.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using testing::Each;
using testing::ElementsAre;

NamedReport run_at(const std::string& name, std::optional<int64_t> rate, double score,
                   const std::string& metric = "cambi") {
  NamedReport run = run_of(name, {score, score}, metric);
  run.report.run.inputs[0].bit_rate = rate;
  return run;
}

const ComparisonBasis kByMeanRate = {"cambi", named("mean")};

std::string beaten_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis = kByMeanRate) {
  return beaten_text(runs, basis, rate_report(runs, basis));
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
  EXPECT_EQ(scored_video(more[0].report), nullptr);
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
              testing::StartsWith("a.jxl is the smallest with SSIMULACRA 2 of 70 or more: 77.9 at 42.7 kB.\n"
                                  "Beaten: a.avif (by a.jxl).\n\n"
                                  "Sizes at ssimulacra2 70, interpolated\n"));
  const std::string table = comparison_table(runs, basis).text();
  EXPECT_THAT(table, testing::HasSubstr("   size  bits/px  frames\n"));
  EXPECT_THAT(table, testing::HasSubstr("42.7 kB   42.700       2\n"));
  EXPECT_THAT(table, testing::Not(testing::HasSubstr("kbit/s")));
  const auto parsed = nlohmann::json::parse(comparison_json(runs, basis));
  EXPECT_EQ(parsed["runs"][0]["bits_per_pixel"], 42.7);
  EXPECT_TRUE(parsed["runs"][0]["bit_rate"].is_null());
  EXPECT_EQ(parsed["rates"]["cost"], "file_bytes");
  EXPECT_TRUE(parsed["rates"]["target"]["curves"][0]["bit_rate"].is_null());
  EXPECT_THAT(comparison_csv(runs, basis, {}), testing::HasSubstr(",bit_rate_of,bits_per_pixel,"));
}

TEST(RunRates, APictureBesideVideosIsLeftOut) {
  const std::vector<NamedReport> runs = {picture("a.jxl", 42'700, 77.9), run_at("b", 1000, 75, "ssimulacra2"),
                                         run_at("c", 2000, 80, "ssimulacra2")};
  const ComparisonBasis basis = {"ssimulacra2", named("mean")};
  EXPECT_THAT(worth_their_bits(runs, basis), ElementsAre(std::nullopt, true, true));
  EXPECT_THAT(
      remarks_on(runs, basis),
      testing::Contains("A single picture has a size and no bit rate, so it is left out of what is said "
                        "about bit rates: a.jxl."));
}

TEST(RunRates, CellsSayWhoseRateItIs) {
  InputFacts video;
  EXPECT_EQ(rate_cell(&video), "-");
  EXPECT_EQ(size_cell(video.file_bytes), "-");
  EXPECT_EQ(bits_cell(&video), "-");
  EXPECT_EQ(rate_cell(nullptr), "-");
  video.bit_rate = 1156569;
  video.bit_rate_of = "stream";
  video.file_bytes = 86903191;
  EXPECT_EQ(rate_cell(&video), "1157");
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
  EXPECT_EQ(rate_cell(&video), "1157*");
}

}  // namespace
}  // namespace vq::cli
