#include "engine/report/moments.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace vq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr MetricInfo kLowIsGood = {.name = "flaws", .better = Better::kLower, .flawless = 0};
constexpr MetricInfo kHighIsGood = {.name = "merits", .better = Better::kHigher, .flawless = 0};

// A report of scores at 25 frames a second.
Report report_of(const std::vector<double>& values, bool timed = true) {
  Report report;
  for (size_t i = 0; i < values.size(); ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(timed ? std::optional(static_cast<double>(i) / 25) : std::nullopt);
  }
  report.metrics = {{"flaws", values}};
  return report;
}

std::vector<size_t> moments_of(const Report& report, size_t count = 10) {
  return worst_moments(report, kLowIsGood, report.metrics[0].values, count);
}

TEST(Moments, AreTheHighestOfTheirSecond) {
  std::vector<double> values(200, 0.5);
  values[30] = 9;
  values[54] = 8;  // 0.96 s behind a higher one
  values[110] = 7;
  values[135] = 7;  // a second behind: a moment of its own
  EXPECT_THAT(moments_of(report_of(values), 3), ElementsAre(30, 110, 135));
  EXPECT_THAT(moments_of(report_of(values), 1), ElementsAre(30));
  EXPECT_THAT(moments_of(report_of(values), 0), IsEmpty());
  EXPECT_THAT(moments_of(report_of(values, false), 3), ElementsAre(30, 110, 135));
}

TEST(Moments, AScoreThatRisesHasOne) {
  std::vector<double> values;
  for (int i = 0; i < 250; ++i) values.push_back(i < 200 ? 1 + i : 1);
  EXPECT_THAT(moments_of(report_of(values), 2), ElementsAre(199));
}

TEST(Moments, OfEqualScoresTheFirstCounts) {
  EXPECT_THAT(moments_of(report_of(std::vector<double>(500, 4.0))), ElementsAre(0));
}

TEST(Moments, NothingAndNoNumberAreNone) {
  EXPECT_THAT(moments_of(report_of({0, 0, NAN, -1})), IsEmpty());
  EXPECT_THAT(moments_of(report_of({})), IsEmpty());
  EXPECT_THAT(moments_of(report_of({0, NAN, 2, NAN})), ElementsAre(2));
}

// Seen in a mirror, a metric of which higher is better has the same moments.
TEST(Moments, WhereHighIsGoodTheyAreTheLowest) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> values(200), mirrored;
    for (double& value : values) value = static_cast<double>(random() % 30) - 1;
    for (const double value : values) mirrored.push_back(-value);
    const Report report = report_of(values);
    ASSERT_EQ(worst_moments(report, kHighIsGood, mirrored, 5), moments_of(report, 5)) << seed;
  }
}

TEST(Moments, WhatIsNeitherGoodNorBadHasNone) {
  EXPECT_THAT(worst_moments(report_of({1, 2}), {.name = "level"}, std::vector<double>{1, 2}, 3), IsEmpty());
}

// Without a flawless score the best of all frames is one, if nothing else is near.
TEST(Moments, WhereNothingIsFlawlessEveryFrameCounts) {
  const MetricInfo decibels = {.name = "db", .better = Better::kHigher};
  EXPECT_THAT(worst_moments(report_of({60, 60, 59}), decibels, std::vector<double>{60, 60, 59}, 3),
              ElementsAre(2));
}

TEST(Moments, TheLastFrameMayBeOne) {
  EXPECT_THAT(moments_of(report_of({1, 2, 3})), ElementsAre(2));
}

// Frames of 1/24 s: 24 of them are a second, whatever the sum of rounding errors.
TEST(Moments, AFullSecondIsNotLess) {
  for (int start = 0; start < 1000; ++start) {
    Report report = report_of({5, 4});
    report.frames = {start, start + 24};
    report.timestamps = {start / 24.0, (start + 24) / 24.0};
    EXPECT_EQ(moments_of(report).size(), 2U) << start;
  }
}

// Scores around 7 for two seconds, and a second scene that never gets as bad.
TEST(Moments, EverySceneHasOne) {
  std::vector<double> values(100, 7);
  for (size_t i = 60; i < 80; ++i) values[i] = 4;
  values[10] = 8;
  values[40] = 7.5;
  values[65] = 5;
  Report report = report_of(values);
  EXPECT_THAT(moments_of(report, 5), ElementsAre(10, 40));
  report.run.scene_cuts = {60, 80};
  EXPECT_THAT(moments_of(report, 3), ElementsAre(10, 80, 65));
  EXPECT_THAT(moments_of(report, 2), ElementsAre(10, 80));
  EXPECT_THAT(moments_of(report, 5),
              ElementsAre(10, 40, 80, 65));  // where there are few scenes, more of them
}

// What the finder returns, of random scores in random scenes: the worst of each scene, then the worst of the
// others.
TEST(Moments, ScenesComeFirst) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> values(random() % 400);
    for (double& value : values) value = static_cast<double>(random() % 30) - 1;
    Report report = report_of(values);
    report.run.scene_cuts.emplace();
    for (size_t i = 1; i < values.size(); ++i) {
      if (random() % 40 == 0) report.run.scene_cuts->push_back(static_cast<int64_t>(i));
    }
    std::vector<size_t> scenes, others;
    std::vector<int64_t> ends = *report.run.scene_cuts;
    ends.push_back(static_cast<int64_t>(values.size()));
    size_t begin = 0;
    for (const int64_t end : ends) {
      const auto stop = static_cast<size_t>(end);
      Report scene = report_of({values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + end});
      const std::vector<size_t> all = moments_of(scene, values.size());
      for (size_t k = 0; k < all.size(); ++k) (k == 0 ? scenes : others).push_back(begin + all[k]);
      begin = stop;
    }
    const auto is_before = [&](size_t a, size_t b) {
      return values[a] != values[b] ? values[a] > values[b] : a < b;
    };
    std::sort(scenes.begin(), scenes.end(), is_before);
    std::sort(others.begin(), others.end(), is_before);
    for (const size_t count : {1, 4, 12}) {
      std::vector<size_t> expected(
          scenes.begin(), scenes.begin() + static_cast<std::ptrdiff_t>(std::min(count, scenes.size())));
      const size_t rest = std::min(count - expected.size(), others.size());
      expected.insert(expected.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(rest));
      std::sort(expected.begin(), expected.end(), is_before);
      ASSERT_EQ(moments_of(report, count), expected) << seed << ", " << count;
    }
  }
}

// The definition, frame by frame.
std::vector<size_t> by_definition(const Report& report, size_t count) {
  const std::vector<double>& values = report.metrics[0].values;
  std::vector<size_t> moments;
  for (size_t i = 0; i < values.size(); ++i) {
    bool highest = values[i] > 0;
    for (size_t j = 0; j < values.size(); ++j) {
      if (std::fabs(*report.timestamps[i] - *report.timestamps[j]) > 0.999 || j == i) continue;
      highest = highest && (j < i ? values[i] > values[j] : values[i] >= values[j]);
    }
    if (highest) moments.push_back(i);
  }
  std::stable_sort(moments.begin(), moments.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
  moments.resize(std::min(moments.size(), count));
  return moments;
}

TEST(Moments, RandomScoresAgreeWithTheDefinition) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const int levels = 2 + static_cast<int>(random() % 40);
    std::vector<double> values(random() % 400);
    for (double& value : values) value = static_cast<double>(random() % static_cast<unsigned>(levels)) - 1;
    const Report report = report_of(values);
    for (const size_t count : {1, 3, 100}) {
      ASSERT_EQ(moments_of(report, count), by_definition(report, count)) << "seed " << seed;
    }
  }
}

// Pictures are only kept of frames that it holds: those it returns in the end must be among them all the
// time. Whoever takes pictures of moments should not take one of a moment that will not be kept.
TEST(Moments, AsksForNothingThatAnEarlierOneOutranks) {
  MomentFinder finder(kLowIsGood, 1);
  EXPECT_TRUE(finder.add({0, 0.0, 5.0}));
  EXPECT_FALSE(finder.add({50, 2.0, 5.0}));
  EXPECT_TRUE(finder.add({100, 4.0, 5.5}));
}

TEST(Moments, HoldsWhatItReturns) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    MomentFinder finder(kLowIsGood, 3);
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < 500; ++i) {
      if (finder.add({i, std::nullopt, static_cast<double>(random() % 50)})) kept.push_back(i);
      std::erase_if(kept, [&](int64_t frame) { return !finder.holds(frame); });
      ASSERT_LE(kept.size(), 4U);
      for (const TimedScore& moment : finder.worst()) {
        ASSERT_NE(std::find(kept.begin(), kept.end(), moment.frame), kept.end()) << seed << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace vq
