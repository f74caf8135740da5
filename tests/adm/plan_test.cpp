// Sensitivity, the part that counts, and what is refused.
#include "feature/adm/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace vq::adm {
namespace {

using ::testing::ElementsAre;

VideoFormat video_of(int width, int height, int depth = 8, const std::string& name = "a.mkv") {
  return {.name = name, .width = width, .height = height, .bit_depth = depth};
}

void refuses(ErrorKind kind, std::initializer_list<std::string_view> parts, const AdmOptions& options,
             const VideoFormats& formats) {
  vq::test::expect_error(kind, parts, [&] { make_plan(options, formats); });
}

TEST(AdmSensitivity, OfWatsonsModelIsTheReferences) {
  const auto bands = [](int lines, double heights, int scale) {
    const PerBand<float> all = sensitivities({.view_distance = heights, .display_height = lines}, scale);
    EXPECT_EQ(all[0], all[1]);
    return std::vector<float>{all[0], all[2]};
  };
  EXPECT_THAT(bands(1080, 3, 0), ElementsAre(0.0173815377F, 0.005890687F));
  EXPECT_THAT(bands(1080, 3, 3), ElementsAre(0.0456734113F, 0.0313127376F));
  EXPECT_THAT(bands(1080, 5, 1), ElementsAre(0.0145245008F, 0.00570335798F));
  EXPECT_THAT(bands(2160, 3, 2), ElementsAre(0.0175937079F, 0.00829917472F));
  EXPECT_THAT(bands(2160, 5, 0), ElementsAre(0.00162925618F, 0.00040671631F));
}

TEST(AdmSensitivity, OfTheBlendsIsATable) {
  const auto straight = [](int mode, int lines, double heights, int scale) {
    return sensitivities({.view_distance = heights, .display_height = lines, .csf_mode = mode}, scale)[0];
  };
  EXPECT_EQ(straight(CsfMode::kBlend, 1080, 3, 0), 0.01183F);
  EXPECT_EQ(straight(CsfMode::kBlend, 2160, 1.5, 0), 0.01183F);
  EXPECT_EQ(straight(CsfMode::kBlend, 2160, 5, 3), 0.029642F);
  EXPECT_EQ(straight(CsfMode::kOtherBlend, 720, 5, 1), 0.020577F);
}

// The defaults have numbers of their own, where the formula gives 36451 and 49414.
TEST(AdmSensitivity, FactorsAreTruncatedAndWrap) {
  EXPECT_THAT(sensitivity_factors({}, 0), ElementsAre(36453, 36453, 49417));
  EXPECT_THAT(sensitivity_factors({.view_distance = 1.5, .display_height = 2160}, 0),
              ElementsAre(36453, 36453, 49417));
  EXPECT_THAT(sensitivity_factors({.csf_mode = CsfMode::kBlend}, 0), ElementsAre(24809, 24809, 36087));
  EXPECT_THAT(sensitivity_factors({.csf_mode = CsfMode::kBlend}, 1),
              ElementsAre(107485848, 107485848, 50586124));
  const AdmOptions barten = {.csf_mode = CsfMode::kBarten};
  const double whole = double{sensitivities(barten, 0)[0]} * (1 << 21);
  ASSERT_GT(whole, 65536);
  EXPECT_EQ(sensitivity_factors(barten, 0)[0], static_cast<uint32_t>(static_cast<uint64_t>(whole) % 65536));
}

TEST(AdmPlan, LeavesATenthOutAtEachEnd) {
  const ScalePlan large = make_scale_plan({}, 0, {1920, 1080});
  EXPECT_EQ(large.width, 960);
  EXPECT_EQ(large.columns.first, 95);
  EXPECT_EQ(large.columns.end, 865);
  EXPECT_EQ(large.rows.first, 53);
  EXPECT_EQ(large.rows.end, 487);
  EXPECT_EQ(large.masking_columns.first, 94);
  EXPECT_EQ(large.masking_columns.end, 866);
  const ScalePlan small = make_scale_plan({}, 3, {239, 239});
  EXPECT_EQ(small.width, 15);
  EXPECT_EQ(small.columns.first, 1);
  EXPECT_EQ(small.rows.first, 1);
  EXPECT_EQ(make_scale_plan({}, 3, {224, 225}).columns.first, 0);  // of 14
  const ScalePlan least = make_scale_plan({}, 3, {33, 33});
  EXPECT_EQ(least.width, 3);
  EXPECT_EQ(least.columns.size(), 3);
  EXPECT_EQ(least.masking_columns.size(), 3);
}

TEST(AdmPlan, RoundsUpEachScale) {
  const ScalePlan odd = make_scale_plan({}, 2, {417, 235});
  EXPECT_EQ(odd.input_width, 105);
  EXPECT_EQ(odd.input_height, 59);
  EXPECT_EQ(odd.width, 53);
  EXPECT_EQ(odd.height, 30);
}

TEST(AdmPlan, BringsTheShallowerVideoToTheDepthOfTheOther) {
  const AdmPlan plan = make_plan({}, {video_of(64, 64, 8), video_of(64, 64, 10)});
  EXPECT_EQ(plan.videos.distorted_shift, 2);
  EXPECT_EQ(plan.videos.reference_shift, 0);
  EXPECT_EQ(plan.scales[0].wavelet.vertical, 10);
}

TEST(AdmPlan, NeedsAReferenceOfTheSameSize) {
  refuses(ErrorKind::kUsage, {"adm", "reference"}, {}, {video_of(64, 64), {}});
  refuses(ErrorKind::kMismatch, {"64x66", "adm"}, {}, {video_of(64, 64), video_of(64, 66)});
}

TEST(AdmPlan, NeedsSidesForWhichThereAreFigures) {
  EXPECT_NO_THROW(make_plan({}, {video_of(33, 33), video_of(33, 33)}));
  for (const PlaneSize size : {PlaneSize{32, 33}, PlaneSize{33, 32}, PlaneSize{1, 1}, PlaneSize{16384, 16}}) {
    const VideoFormat video = video_of(size.width, size.height);
    refuses(ErrorKind::kMismatch, {"a.mkv", "33"}, {}, {video, video});
  }
}

TEST(AdmPlan, NeedsAViewingDistanceForWhichThereAreFigures) {
  const VideoFormats formats = {video_of(64, 64), video_of(64, 64)};
  refuses(ErrorKind::kUsage, {"3240"}, {.view_distance = 2.999}, formats);
  refuses(ErrorKind::kUsage, {"3240"}, {.display_height = 1079}, formats);
  EXPECT_NO_THROW(make_plan({.view_distance = 0.75, .display_height = 4320}, formats));
  EXPECT_NO_THROW(make_plan({.view_distance = 4}, formats));
  for (const int mode : {CsfMode::kBlend, CsfMode::kOtherBlend}) {
    refuses(ErrorKind::kUsage, {"2160", "1.5, 3 or 5"}, {.view_distance = 4, .csf_mode = mode}, formats);
    EXPECT_NO_THROW(make_plan({.view_distance = 5, .display_height = 720, .csf_mode = mode}, formats));
  }
}

}  // namespace
}  // namespace vq::adm
