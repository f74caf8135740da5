// Bits and scores together.
#include "cli/reports/run_moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

TEST(RunRates, AreWorthTheirBitsWhereNoOtherIsAsGoodAtNoMore) {
  const std::vector<NamedReport> runs = {run_at("best", 4000, 1), run_at("beaten", 3000, 5),
                                         run_at("cheap", 2000, 4), run_at("worst", 1000, 9)};
  EXPECT_THAT(worth_their_bits(runs, kByMeanRate), ElementsAre(true, false, true, true));
  EXPECT_EQ(worthy_text({run_at("best", 4000, 40, "psnr_y"), run_at("beaten", 3000, 35, "psnr_y"),
                         run_at("cheap", 2000, 36, "psnr_y")},
                        {"psnr_y", named("mean")}),
            "Best for their bit rate: best, cheap.");
}

TEST(RunRates, OfEqualsNeitherBeatsTheOther) {
  EXPECT_THAT(worth_their_bits({run_at("a", 1000, 2), run_at("b", 1000, 2)}, kByMeanRate),
              ElementsAre(true, true));
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
  EXPECT_EQ(worthy_text(runs, kByMeanRate), "");
}

TEST(RunRates, CellsSayWhoseRateItIs) {
  InputFacts video;
  EXPECT_EQ(rate_cell(&video), "-");
  EXPECT_EQ(size_cell(&video), "-");
  EXPECT_EQ(rate_cell(nullptr), "-");
  video.bit_rate = 1156569;
  video.bit_rate_of = "stream";
  video.file_bytes = 86903191;
  EXPECT_EQ(rate_cell(&video), "1157");
  EXPECT_EQ(size_cell(&video), "86.9 MB");
  for (const auto& [bytes, text] :
       std::vector<std::pair<int64_t, std::string>>{{812, "0.81 kB"},
                                                    {9994, "9.99 kB"},
                                                    {9995, "10.0 kB"},
                                                    {999499, "999 kB"},
                                                    {999500, "1.00 MB"},
                                                    {int64_t{7} << 40, "7.70 TB"}}) {
    video.file_bytes = bytes;
    EXPECT_EQ(size_cell(&video), text);
  }
  video.bit_rate_of = "file";
  EXPECT_EQ(rate_cell(&video), "1157*");
}

}  // namespace
}  // namespace vq::cli
