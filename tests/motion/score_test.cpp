#include "feature/motion/motion.h"
#include "tests/support/test.h"

namespace vq::motion {
namespace {

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
