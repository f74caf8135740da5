// Moments of several runs at once.
#include "cli/reports/run_moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

// A second of so many frames at each of the levels, one after the other.
NamedReport steps(const std::string& name, const std::vector<double>& levels, int rate = 10) {
  std::vector<double> values;
  for (const double level : levels) values.insert(values.end(), static_cast<size_t>(rate), level);
  NamedReport run = run_of(name, values);
  for (size_t i = 0; i < values.size(); ++i) run.report.timestamps[i] = static_cast<double>(i) / rate;
  return run;
}

auto at(int64_t frame) {
  return Field(&SharedMoment::frame, frame);
}

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

TEST(RunMoments, TheTableNamesWhoIsLowestAndHighest) {
  const std::vector<NamedReport> runs = {run_of("a", {1}), run_of("b", {0.25}), run_of("c", {7})};
  EXPECT_EQ(moments_table(runs, differing_moments(runs, "cambi", 6)).text(),
            "frame        time  apart  lowest   highest\n"
            "    0  0:00:00.00  6.750  0.250 b  7.000 c\n");
}

}  // namespace
}  // namespace vq::cli
