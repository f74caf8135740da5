#include "feature/motion/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "feature/motion/feature.h"

namespace vq::motion {
namespace {

using ::testing::ElementsAre;

TEST(MotionOptions, HaveTheDefaultsOfTheReferenceImplementation) {
  const MotionOptions options = to_options(OptionSet(option_specs()));
  EXPECT_FALSE(options.force_zero || options.five_frame_window || options.moving_average || options.debug);
  EXPECT_EQ(options.blend_factor, 1);
  EXPECT_EQ(options.blend_offset, 40);
  EXPECT_EQ(options.fps_weight, 1);
  EXPECT_EQ(options.max_value, 10000);
  EXPECT_EQ(options.gap(), 1);
}

TEST(MotionOptions, AreReadEachByItsName) {
  OptionSet set(option_specs());
  set.set("motion_blend_factor", "0.5");
  EXPECT_EQ(to_options(set).blend_factor, 0.5);
  set.set("motion_blend_offset", "3.25");
  EXPECT_EQ(to_options(set).blend_offset, 3.25);
  set.set("motion_fps_weight", "1.7");
  EXPECT_EQ(to_options(set).fps_weight, 1.7);
  set.set("motion_max_val", "18");
  EXPECT_EQ(to_options(set).max_value, 18);
  set.set("motion_five_frame_window", "true");
  EXPECT_EQ(to_options(set).gap(), 2);
  EXPECT_FALSE(to_options(set).moving_average);
  set.set("motion_moving_average", "true");
  EXPECT_TRUE(to_options(set).moving_average);
  EXPECT_FALSE(to_options(set).force_zero);
  set.set("motion_force_zero", "true");
  EXPECT_TRUE(to_options(set).force_zero);
  EXPECT_FALSE(to_options(set).debug);
  set.set("debug", "true");
  EXPECT_TRUE(to_options(set).debug);
}

TEST(MotionOptions, TakeNothingElse) {
  OptionSet set(option_specs());
  for (const auto& [name, text] : {std::pair{"motion_blend_factor", "1.01"}, {"motion_blend_factor", "-0.1"},
                                   {"motion_blend_offset", "1001"}, {"motion_fps_weight", "5.5"}, {"motion_max_val", "nan"},
                                   {"motion_max_val", "10001"}, {"motion_five_frame_window", "yes"}, {"motion_blur", "1"},
                                   {"mffw", "true"}}) {
    EXPECT_THROW(set.set(name, text), Error) << name << "=" << text;
  }
}

TEST(MotionOptions, MetricsCarryThoseThatDiffer) {
  OptionSet set(option_specs());
  EXPECT_THAT(metric_names(set),
              ElementsAre("VMAF_integer_feature_motion_sad_score", "integer_motion2", "integer_motion3"));
  for (const auto& [name, text] : {std::pair{"motion_force_zero", "true"}, {"motion_blend_factor", "0.5"},
                                   {"motion_blend_offset", "1"}, {"motion_fps_weight", "2"}, {"motion_max_val", "3"},
                                   {"motion_five_frame_window", "true"}, {"motion_moving_average", "true"}, {"debug", "true"}}) {
    set.set(name, text);
  }
  const std::string suffix = "_mbf_0.5_mbo_1_mffw_force_0_mfw_2_mmxv_3_mma";
  EXPECT_THAT(metric_names(set), ElementsAre("VMAF_integer_feature_motion_sad_score" + suffix, "integer_motion" + suffix,
                                             "integer_motion2" + suffix, "integer_motion3" + suffix));
}

TEST(MotionOptions, AValueThatIsTheDefaultChangesNoName) {
  OptionSet set(option_specs());
  set.set("motion_max_val", "10000");
  EXPECT_EQ(metric_names(set), metric_names(OptionSet(option_specs())));
}

TEST(MotionFeature, LooksAtAsManyFramesBeforeAsItsWindowHas) {
  OptionSet set(option_specs());
  EXPECT_EQ(feature_info().neighbours(set).references, 1);
  EXPECT_EQ(feature_info().neighbours(set).distorted, 0);
  set.set("motion_five_frame_window", "true");
  EXPECT_EQ(feature_info().neighbours(set).references, 2);
  set.set("motion_force_zero", "true");
  EXPECT_EQ(feature_info().neighbours(set).references, 0);
}

TEST(MotionFeature, NeedsAReferenceOfTheVideosSize) {
  const OptionSet set(option_specs());
  VideoFormat format;
  format.width = format.height = 1;
  EXPECT_NO_THROW(feature_info().check(set, {format, format}));
  EXPECT_THROW(feature_info().check(set, {format, std::nullopt}), Error);
  VideoFormat larger = format;
  larger.width = 2;
  EXPECT_THROW(feature_info().check(set, {format, larger}), Error);
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
