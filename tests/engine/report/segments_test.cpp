#include "engine/report/segments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/report/report.h"

namespace vq {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
constexpr MetricInfo kBanding = {.name = "m", .better = Better::kLower};
constexpr MetricInfo kDecibels = {.name = "m", .better = Better::kHigher};

// Every `step`-th frame, at ten frames a second.
Report segmented_report(size_t count, int64_t step = 1) {
  Report report;
  report.run.inputs.push_back({});
  report.run.inputs[0].role = "distorted";
  report.run.inputs[0].frame_rate = 10;
  for (size_t i = 0; i < count; ++i) {
    report.frames.push_back(static_cast<int64_t>(i) * step);
    report.timestamps.push_back(static_cast<double>(report.frames.back()) / 10);
  }
  return report;
}

std::vector<Segment> segments_of(const std::vector<double>& values, const SegmentRule& rule,
                                 const MetricInfo& metric = kBanding, int64_t step = 1) {
  return find_segments(segmented_report(values.size(), step), metric, values, rule);
}

std::vector<std::pair<int64_t, int64_t>> ends_of(const std::vector<Segment>& segments) {
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (const Segment& segment : segments) ends.emplace_back(segment.first, segment.last);
  return ends;
}
using Ends = std::vector<std::pair<int64_t, int64_t>>;

TEST(Segments, AreStretchesBeyondTheThreshold) {
  const auto segments = segments_of({0, 5, 7, 6, 7, 4, 9}, {.from = 5, .until = 5});
  ASSERT_EQ(ends_of(segments), (Ends{{1, 4}, {6, 6}}));
  EXPECT_EQ(
      segments[0],
      (Segment{.first = 1, .last = 4, .start = 0.1, .end = 0.5, .mean = 6.25, .worst = 7, .worst_frame = 2}));
  EXPECT_EQ(segments[1].end, 0.7);  // when the frame behind the last would be shown
}

TEST(Segments, GoOnUntilScoresAreGoodAgain) {
  const std::vector<double> values = {3, 5, 3, 3, 5, 2, 3};
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 5})), (Ends{{1, 1}, {4, 4}}));
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 3})), (Ends{{1, 4}}));
}

TEST(Segments, OfWhatIsBetterHigherLieBelow) {
  const auto segments = segments_of({50, 30, 20, 31, 45}, {.from = 30, .until = 31}, kDecibels);
  ASSERT_EQ(ends_of(segments), (Ends{{1, 3}}));
  EXPECT_EQ(segments[0].worst, 20);
  EXPECT_EQ(segments[0].worst_frame, 2);
}

TEST(Segments, ShortOnesAreLeftOut) {
  const std::vector<double> values = {9, 0, 9, 9, 0, 9, 9, 9};
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 5, .shortest_frames = 2})),
            (Ends{{2, 3}, {5, 7}}));
  EXPECT_EQ(ends_of(segments_of(values, {.from = 5, .until = 5, .shortest_seconds = 0.3})), (Ends{{5, 7}}));
  EXPECT_TRUE(segments_of(values, {.from = 5, .until = 5, .shortest_seconds = 0.31}).empty());
}

// Two frames at 24 a second, of a container that rounds times to milliseconds.
TEST(Segments, LengthsAllowForTimesThatTheContainerRounds) {
  Report report = segmented_report(3);
  report.timestamps = {0.0, 0.042, 0.083};
  const std::vector<double> values = {9, 9, 0};
  EXPECT_EQ(
      find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 2 / 24.0}).size(),
      1U);
  EXPECT_EQ(
      find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 0.084}).size(), 0U);
}

// At ten frames a second half a second is the frame and two on either side.
TEST(Segments, MayBeJudgedByTheMeanAroundAFrame) {
  const SegmentRule rule = {.from = 70, .until = 70, .smoothed_seconds = 0.4};
  const std::vector<double> alternating = {90, 90, 90, 80, 60, 80, 60, 80, 60, 60, 80, 60, 90, 90, 90};
  EXPECT_EQ(ends_of(segments_of(alternating, {.from = 70, .until = 70}, kDecibels)).size(), 4U);
  const std::vector<Segment> segments = segments_of(alternating, rule, kDecibels);
  ASSERT_EQ(ends_of(segments), (Ends{{6, 10}}));
  EXPECT_EQ(segments[0].worst, 60);  // of the scores themselves
  EXPECT_EQ(segments[0].mean, 68);
  EXPECT_EQ(segments[0].worst_frame, 6);
  // Means do not drift, and what is not a number counts for no neighbour.
  EXPECT_EQ(ends_of(segments_of(std::vector<double>(1000, 95.3),
                                {.from = 95.3, .until = 95.3, .smoothed_seconds = 0.4}, kDecibels)),
            (Ends{{0, 999}}));
  EXPECT_EQ(ends_of(segments_of({60, kNoScore, 60, 60}, rule, kDecibels)), (Ends{{0, 0}, {2, 3}}));
  // Where a frame equals its reference there is no mean.
  EXPECT_EQ(ends_of(segments_of({60, 60, 60, HUGE_VAL, 60, 60, 60, 60}, rule, kDecibels)),
            (Ends{{0, 0}, {6, 7}}));
  // Frames that the run left out have no scores.
  EXPECT_EQ(ends_of(segments_of({60, 80, 60, 60}, rule, kDecibels, 2)), (Ends{{0, 6}}));
}

TEST(Segments, HaveTheFramesThatWereLeftOut) {
  EXPECT_EQ(ends_of(segments_of({0, 9, 9, 0}, {.from = 5, .until = 5}, kBanding, 5)), (Ends{{5, 14}}));
  EXPECT_EQ(ends_of(segments_of({0, 9, 9}, {.from = 5, .until = 5}, kBanding, 5)), (Ends{{5, 10}}));
}

TEST(Segments, WhatIsNoNumberEndsOne) {
  EXPECT_EQ(ends_of(segments_of({9, kNoScore, 9}, {.from = 5, .until = 0})), (Ends{{0, 0}, {2, 2}}));
  EXPECT_TRUE(segments_of({}, {.from = 5, .until = 5}).empty());
}

TEST(Segments, DoWithoutTimes) {
  Report report = segmented_report(3);
  report.timestamps.clear();
  const std::vector<double> values = {0, 9, 9};
  const SegmentRule rule = {.from = 5, .until = 5, .shortest_seconds = 0.2};
  report.run.inputs[0].skipped = 3;
  std::vector<Segment> segments = find_segments(report, kBanding, values, rule);
  ASSERT_EQ(ends_of(segments), (Ends{{1, 2}}));
  EXPECT_EQ(segments[0].start, 0.4);  // by the frame rate
  EXPECT_EQ(segments[0].end, 0.6);
  report.run.inputs[0].frame_rate.reset();
  segments = find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 0.08});
  ASSERT_EQ(ends_of(segments), (Ends{{1, 2}}));
  EXPECT_EQ(segments[0].start, std::nullopt);
  EXPECT_EQ(segments[0].end, std::nullopt);
  EXPECT_TRUE(
      find_segments(report, kBanding, values, {.from = 5, .until = 5, .shortest_seconds = 0.09}).empty());
}

}  // namespace
}  // namespace vq
