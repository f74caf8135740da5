#include "feature/adm/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vq::adm {
namespace {

using ::testing::ElementsAre;

// What glibc's and musl's powf() return; the last three are not the floats nearest to the true power.
TEST(AdmCubeRoot, IsThatOfTheReferencesLibrary) {
  EXPECT_EQ(cube_root(0), 0);
  EXPECT_EQ(cube_root(1), 1);
  EXPECT_EQ(cube_root(8), 2);
  EXPECT_EQ(cube_root(27), 3);
  EXPECT_EQ(cube_root(64), 4);
  EXPECT_EQ(cube_root(2), 1.25992105F);
  EXPECT_EQ(cube_root(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(cube_root(-1)));
  EXPECT_TRUE(std::isnan(cube_root(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(cube_root(4.56149673F), 1.65845037F);
  EXPECT_EQ(cube_root(61.0544472F), 3.93766832F);
  EXPECT_EQ(cube_root(2181.37354F), 12.9691067F);
}

// From the least float to the largest; the exponent is 1e-8 more than a third.
TEST(AdmCubeRoot, IsOneAtAllSizes) {
  for (double x = std::numeric_limits<float>::denorm_min(); x < 1e38; x *= 1.37) {
    const auto argument = static_cast<float>(x);
    const double root = cube_root(argument);
    EXPECT_NEAR(root * root * root / argument, 1, 4e-6) << argument;
  }
}

AdmPlan plan_of(const AdmOptions& options, int width = 64, int height = 64) {
  const VideoFormat video = {.name = "a", .width = width, .height = height};
  return make_plan(options, {video, video});
}

TEST(AdmScore, RowsAreRoundedOneByOne) {
  ScalePlan plan = make_scale_plan({}, 1, {400, 400});  // 82 rows of 100 count
  EXPECT_EQ(plan.reference.row, 7);
  PerBand<uint64_t> reference = {};
  for (int i = 0; i < 3; ++i) add_reference_row(plan, {63, 64, 200}, reference);
  EXPECT_THAT(reference, ElementsAre(0, 3, 6));
  PerBand<int64_t> masked = {};
  for (int i = 0; i < 3; ++i) add_masked_row(plan, {63, -65, 64 + 128}, masked);
  EXPECT_THAT(masked, ElementsAre(0, -3, 6));
}

TEST(AdmScore, OfAFlatReferenceIsTheNoise) {
  const std::vector<double> scores = frame_scores(plan_of({}), {});
  EXPECT_THAT(scores, ElementsAre(1, 0, 1, 1, 1, 1, 1));
}

TEST(AdmScore, WithoutNoiseAFlatReferenceHasLostNothing) {
  const std::vector<double> scores = frame_scores(plan_of({.noise_weight = 0}), {});
  EXPECT_THAT(std::vector<double>(scores.begin(), scores.begin() + 3), ElementsAre(1, 0, 1));
  for (size_t i = 3; i < 7; ++i) EXPECT_TRUE(std::isnan(scores[i]));
}

// Sums whose weighted cube root is a round number.
TEST(AdmScore, WeighsDetailLossAndImpairment) {
  AdmPlan plan = plan_of({.noise_weight = 0, .dlm_weight = 0.75, .debug = true});
  FrameSums sums = {};
  for (size_t k = 0; k < sums.size(); ++k) {
    plan.scales[k].sensitivity = {1, 1, 1};
    const int e = plan.scales[k].reference.scale;
    for (size_t i = 0; i < kBands; ++i) {
      sums[k].reference[i] = uint64_t{64} << e;
      sums[k].restored[i] = int64_t{27} << plan.scales[k].masked[i].scale;
      sums[k].added[i] = int64_t{8} << plan.scales[k].masked[i].scale;
    }
  }
  const std::vector<double> scores = frame_scores(plan, sums);
  ASSERT_EQ(scores.size(), 18U);
  EXPECT_EQ(scores[0], 0.75);
  EXPECT_EQ(scores[1], 0.5);
  EXPECT_EQ(scores[2], 0.75 * 0.75 + 0.5 * 0.25);
  for (size_t i = 3; i < 7; ++i) EXPECT_EQ(scores[i], 0.75);
  EXPECT_EQ(scores[7], scores[0]);
  EXPECT_EQ(scores[8], 36);  // 4 scales, 3 bands, 3 each
  EXPECT_EQ(scores[9], 48);
  EXPECT_EQ(scores[10], 9);
  EXPECT_EQ(scores[11], 12);

  plan.options.skip_aim = true;
  EXPECT_EQ(frame_scores(plan, sums)[1], 0);
  plan.options.skip_scale0 = true;
  const std::vector<double> coarse = frame_scores(plan, sums);
  EXPECT_EQ(coarse[3], 0);
  EXPECT_EQ(coarse[8], 27);
  EXPECT_EQ(coarse[10], 0);
  EXPECT_EQ(coarse[11], 1e-10F);
}

// At the finest scale sums are rounded to double first: just above halfway between two floats that leaves the
// even one.
TEST(AdmScore, SumsOfCoarseScalesAreRoundedOnce) {
  AdmPlan plan = plan_of({.noise_weight = 0, .debug = true});
  constexpr int64_t kEven = 8388612;  // of 24 bits, with another root than its neighbour
  FrameSums sums = {};
  for (const size_t k : {0U, 1U}) {
    for (MaskedShifts& shifts : plan.scales[k].masked) shifts.scale = 37;
    sums[k].restored[0] = (kEven << 37) + (int64_t{1} << 36) + 1;
  }
  const std::vector<double> scores = frame_scores(plan, sums);
  const float even = cube_root(static_cast<float>(kEven)), odd = cube_root(static_cast<float>(kEven + 1));
  ASSERT_NE(even, odd);
  EXPECT_EQ(scores[10], even);
  EXPECT_EQ(scores[12], odd);
}

// Where the finest scale is left out it counts as 1e-10 of detail, which is nothing of a picture larger than
// 1920x1080.
TEST(AdmScore, TooLittleDetailForTheSizeOfThePictureIsNone) {
  const AdmOptions options = {.noise_weight = 0, .skip_scale0 = true};
  EXPECT_EQ(frame_scores(plan_of(options, 1920, 1080), {})[0], 0);
  EXPECT_EQ(frame_scores(plan_of(options, 3840, 2160), {})[0], 1);
}

TEST(AdmScore, HasALowerLimitForAdm3Alone) {
  AdmPlan plan = plan_of({.noise_weight = 0, .dlm_weight = 1, .min_val = 0.5});
  FrameSums sums = {};
  sums[1].reference = {1, 1, 1};
  const std::vector<double> scores = frame_scores(plan, sums);
  EXPECT_EQ(scores[0], 0);
  EXPECT_EQ(scores[2], 0.5);
}

// A sum that has wrapped has no root.
TEST(AdmScore, OfANegativeSumIsNotANumber) {
  FrameSums sums = {};
  sums[0].restored[1] = -1;
  const std::vector<double> scores = frame_scores(plan_of({}), sums);
  EXPECT_TRUE(std::isnan(scores[0]));
  EXPECT_TRUE(std::isnan(scores[3]));
  EXPECT_EQ(scores[4], 1);
}

}  // namespace
}  // namespace vq::adm
