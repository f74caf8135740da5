#include "feature/motion/motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/option_rows.h"

namespace vq::motion {
namespace {

using ::testing::ElementsAre;

using Row = vq::test::OptionRow<MotionOptions>;

TEST(MotionOptions, AreThoseOfTheReferenceImplementation) {
  vq::test::check_options<MotionOptions>(
      Motion::kOptions,
      {Row{"motion_blend_factor", &MotionOptions::blend_factor, 1, "0.5", 0.5, {"1.01", "-0.1"}},
       Row{"motion_blend_offset", &MotionOptions::blend_offset, 40, "3.25", 3.25, {"1001"}},
       Row{"motion_fps_weight", &MotionOptions::fps_weight, 1, "1.7", 1.7, {"5.5"}},
       Row{"motion_max_val", &MotionOptions::max_value, 10000, "18", 18, {"nan", "10001"}},
       Row{"motion_five_frame_window", &MotionOptions::five_frame_window, false, "true", true, {"yes"}},
       Row{"motion_moving_average", &MotionOptions::moving_average, false, "true", true},
       Row{"motion_force_zero", &MotionOptions::force_zero, false, "true", true},
       Row{"debug", &MotionOptions::debug, false, "true", true}},
      {"motion_blur", "mffw"});
  EXPECT_EQ(MotionOptions{}.gap(), 1);
  EXPECT_EQ(MotionOptions{.five_frame_window = true}.gap(), 2);
}

TEST(MotionOptions, MetricsCarryThoseThatDiffer) {
  EXPECT_THAT(feature_info().metric_names(OptionSet(Motion::kOptions.specs())),
              ElementsAre("VMAF_integer_feature_motion_sad_score", "integer_motion2", "integer_motion3"));
  const OptionSet set = vq::test::set_of(Motion::kOptions.specs(), {{"motion_force_zero", "true"},
                                                                    {"motion_blend_factor", "0.5"},
                                                                    {"motion_blend_offset", "1"},
                                                                    {"motion_fps_weight", "2"},
                                                                    {"motion_max_val", "3"},
                                                                    {"motion_five_frame_window", "true"},
                                                                    {"motion_moving_average", "true"},
                                                                    {"debug", "true"}});
  const std::string suffix = "_mbf_0.5_mbo_1_mffw_force_0_mfw_2_mmxv_3_mma";
  EXPECT_THAT(feature_info().metric_names(set),
              ElementsAre("VMAF_integer_feature_motion_sad_score" + suffix, "integer_motion" + suffix,
                          "integer_motion2" + suffix, "integer_motion3" + suffix));
}

TEST(MotionOptions, AValueThatIsTheDefaultChangesNoName) {
  EXPECT_EQ(
      feature_info().metric_names(vq::test::set_of(Motion::kOptions.specs(), {{"motion_max_val", "10000"}})),
      feature_info().metric_names(OptionSet(Motion::kOptions.specs())));
}

TEST(MotionFeature, LooksAtAsManyFramesBeforeAsItsWindowHas) {
  OptionSet set(Motion::kOptions.specs());
  EXPECT_EQ(feature_info().neighbours(set).references, 1);
  EXPECT_EQ(feature_info().neighbours(set).distorted, 0);
  set.set("motion_five_frame_window", "true");
  EXPECT_EQ(feature_info().neighbours(set).references, 2);
  set.set("motion_force_zero", "true");
  EXPECT_EQ(feature_info().neighbours(set).references, 0);
}

TEST(MotionFeature, NeedsAReferenceOfTheVideosSize) {
  const OptionSet set(Motion::kOptions.specs());
  const VideoFormat format = {.name = "a.mkv", .width = 1, .height = 1},
                    larger = {.name = "b.mkv", .width = 2, .height = 1};
  EXPECT_NO_THROW(feature_info().check(set, {format, format}));
  vq::test::expect_error(ErrorKind::kUsage, {"motion"}, [&] {
    feature_info().check(set, {format, std::nullopt});
  });
  vq::test::expect_error(ErrorKind::kMismatch, {"1x1", "b.mkv", "2x1"}, [&] {
    feature_info().check(set, {format, larger});
  });
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
