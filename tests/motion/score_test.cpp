#include "feature/motion/motion.h"
#include "tests/support/test.h"

namespace vq::motion {
namespace {

// Values of frames with these pair scores; how many came with each frame, and at the end, goes to `counts`.
std::vector<FrameValues> values_of(const MotionOptions& options, const std::vector<double>& scores,
                                   std::vector<size_t>* counts = nullptr) {
  const std::unique_ptr<FrameSequence> sequence = Motion::make_sequence(options);
  std::vector<FrameValues> all;
  const auto take = [&](const std::vector<FrameValues>& values) {
    all.insert(all.end(), values.begin(), values.end());
    if (counts != nullptr) counts->push_back(values.size());
  };
  for (const double score : scores) take(sequence->next({.values = {score}}));
  take(sequence->finish());
  return all;
}

std::vector<double> column(const std::vector<FrameValues>& values, size_t metric) {
  std::vector<double> column;
  for (const FrameValues& frame : values) column.push_back(frame.at(metric));
  return column;
}
constexpr size_t kSad = 0, kMotion2 = 1, kMotion3 = 2;

TEST(MotionSequence, TakesTheSmallerChangeAroundAFrame) {
  std::vector<size_t> counts;
  const std::vector<FrameValues> values = values_of({}, {0, 5, 3, 9, 4}, &counts);
  EXPECT_THAT(column(values, kSad), ElementsAre(0, 5, 3, 9, 4));
  EXPECT_THAT(column(values, kMotion2), ElementsAre(0, 3, 3, 4, 4));
  EXPECT_THAT(column(values, kMotion3), ElementsAre(5, 3, 3, 4, 4));
  // A frame late.
  EXPECT_THAT(counts, ElementsAre(0U, 1U, 1U, 1U, 1U, 1U));
}

// Frame 2 has the score of frame 3 alone, others those of the frames beside; the last one has its own.
TEST(MotionSequence, LooksTwoFramesBackUnderTheFiveFrameWindow) {
  std::vector<size_t> counts;
  const std::vector<FrameValues> values =
      values_of({.five_frame_window = true}, {0, 0, 5, 3, 9, 4, 8}, &counts);
  EXPECT_THAT(column(values, kSad), ElementsAre(0, 0, 5, 3, 9, 4, 8));
  EXPECT_THAT(column(values, kMotion2), ElementsAre(0, 0, 3, 5, 3, 8, 8));
  EXPECT_THAT(column(values, kMotion3), ElementsAre(5, 5, 3, 5, 3, 8, 8));
  EXPECT_THAT(counts, ElementsAre(0U, 0U, 2U, 1U, 1U, 1U, 1U, 1U));
}

TEST(MotionSequence, OneFrameMovesNothing) {
  EXPECT_THAT(values_of({}, {0}), ElementsAre(ElementsAre(0, 0, 0)));
  EXPECT_THAT(values_of({.five_frame_window = true}, {0}), ElementsAre(ElementsAre(0, 0, 0)));
  EXPECT_THAT(values_of({}, {}), IsEmpty());
}

TEST(MotionSequence, TwoFramesAreOnePair) {
  EXPECT_THAT(values_of({}, {0, 7}), ElementsAre(ElementsAre(0, 0, 7), ElementsAre(7, 7, 7)));
  EXPECT_THAT(values_of({.five_frame_window = true}, {0, 0}),
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(0, 0, 0)));
  EXPECT_THAT(values_of({.five_frame_window = true}, {0, 0, 7}),
              ElementsAre(ElementsAre(0, 0, 7), ElementsAre(0, 0, 7), ElementsAre(7, 7, 7)));
}

using ::testing::Optional;

// The smaller one of two differences needs the frame behind, but where there is none before.
TEST(MotionSequence, KnowsAtOnceWhatNeedsNoFrameBehind) {
  const FrameResult result = {.values = {7}};
  const auto usual = Motion::make_sequence({.debug = true});
  EXPECT_THAT(usual->at_once(result, 0), ElementsAre(Optional(7), Optional(7), Optional(0), std::nullopt));
  EXPECT_THAT(usual->at_once(result, 1), ElementsAre(Optional(7), Optional(7), std::nullopt, std::nullopt));
  const auto five = Motion::make_sequence({.five_frame_window = true});
  EXPECT_THAT(five->at_once(result, 1), ElementsAre(Optional(7), Optional(0), std::nullopt));
  EXPECT_THAT(five->at_once(result, 2), ElementsAre(Optional(7), std::nullopt, std::nullopt));
  const auto still = Motion::make_sequence({.force_zero = true});
  EXPECT_THAT(still->at_once({.values = {0}}, 9), ElementsAre(Optional(0), Optional(0), Optional(0)));
}

TEST(MotionFeature, LooksAtAsManyFramesBeforeAsItsWindowHas) {
  const auto before = [](const MotionOptions& options) { return Motion::neighbours(options).references; };
  EXPECT_EQ(before({}), 1);
  EXPECT_EQ(Motion::neighbours({}).distorted, 0);
  EXPECT_EQ(before({.five_frame_window = true}), 2);
  EXPECT_EQ(before({.force_zero = true, .five_frame_window = true}), 0);
}

TEST(MotionFeature, WhatNeedsTheNextFrameStandsBehindOtherFeatures) {
  std::vector<std::string_view> late;
  for (const MetricInfo& metric : feature_info().metrics) {
    if (metric.is_late) late.push_back(metric.name);
  }
  EXPECT_THAT(late, ElementsAre("integer_motion2", "integer_motion3"));
}

}  // namespace
}  // namespace vq::motion
