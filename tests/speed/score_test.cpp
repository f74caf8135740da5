#include "feature/speed/speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vq::speed {
namespace {

using ::testing::ElementsAre;

// A plan whose planes have two blocks.
SpeedPlan plan_of(SpeedOptions options) {
  const VideoFormat format = {.name = "video", .width = 320, .height = 160};
  SpeedPlan plan = SpeedChroma::make_plan(options, {format, format});
  EXPECT_EQ(plan.plane.blocks(), 2);
  return plan;
}

// Blocks of variance 3 and 1 with an entropy of 200 against 1 and 7 with 150.
float score_of(SpeedOptions options) {
  const PlaneFigures reference = {.variances = {3, 1}, .entropies = {200, 200}, .is_singular = false},
                     distorted = {.variances = {1, 7}, .entropies = {150, 150}, .is_singular = false};
  const PlaneScore score = plane_score(plan_of(options), reference, distorted);
  EXPECT_FALSE(score.is_marked);
  return score.value;
}

TEST(SpeedScore, WeightsEntropiesByVariances) {
  const auto of_mode = [](int mode) { return score_of({.weight_mode = mode}); };
  EXPECT_FLOAT_EQ(of_mode(0), (std::abs(200 * 2 - 150 * 1) + std::abs(200 * 1 - 150 * 3)) / 2.0F);
  EXPECT_FLOAT_EQ(of_mode(1), ((200 - 150) * 2 + (200 - 150) * 1) / 2.0F);
  EXPECT_FLOAT_EQ(of_mode(2), ((200 - 150) * 1 + (200 - 150) * 3) / 2.0F);
  EXPECT_FLOAT_EQ(of_mode(3), static_cast<float>((50 * std::log2(3.0) + 50 * std::log2(5.0)) / 2));
  EXPECT_FLOAT_EQ(
      of_mode(4),
      static_cast<float>((std::abs(400 - 150 * std::log2(3.0)) + std::abs(200 - 150 * std::log2(5.0))) / 2));
  EXPECT_FLOAT_EQ(
      of_mode(5),
      static_cast<float>((std::abs(400 - 150 * std::log2(3.5)) + std::abs(200 - 150 * std::log2(3.5))) / 2));
  EXPECT_FLOAT_EQ(
      of_mode(6),
      static_cast<float>((std::abs(400 - 150 * std::log2(2.5)) + std::abs(200 - 150 * std::log2(6.5))) / 2));
}

// log2(0.29) + 4.094 times 25 is 57.7.
TEST(SpeedScore, BlocksBelowTheFloorInBothVideosCountAsEqual) {
  const SpeedPlan plan = plan_of({});
  EXPECT_NEAR(plan.base_entropy, 25 * (std::log2(0.29) + 4.094191170361282), 1e-5);
  const PlaneFigures quiet = {.variances = {1, 1}, .entropies = {57, 57}, .is_singular = false},
                     louder = {.variances = {3, 3}, .entropies = {57, 58}, .is_singular = false};
  EXPECT_FLOAT_EQ(plane_score(plan, quiet, louder).value, (2 * 58 - 57) / 2.0F);
  EXPECT_FLOAT_EQ(plane_score(plan, louder, quiet).value, (2 * 58 - 57) / 2.0F);
  EXPECT_FLOAT_EQ(plane_score(plan_of({.nn_floor = 0.1}), quiet, louder).value, 0);
}

TEST(SpeedScore, OfSingularPlanesIsZeroAndMarked) {
  const SpeedPlan plan = plan_of({});
  const PlaneFigures regular = {.variances = {1, 1}, .entropies = {90, 90}, .is_singular = false},
                     singular = {.variances = {9, 9}, .entropies = {9, 9}, .is_singular = true};
  for (const PlaneScore& score : {plane_score(plan, regular, singular), plane_score(plan, singular, regular),
                                  plane_score(plan, singular, singular)}) {
    EXPECT_EQ(score.value, 0);
    EXPECT_TRUE(score.is_marked);
  }
}

TEST(SpeedScore, OfBothPlanesIsTheirMeanOrTheOneThatIsNotMarked) {
  EXPECT_THAT(chroma_values({.value = 2}, {.value = 5}, 1000), ElementsAre(2, 5, 3.5));
  EXPECT_THAT(chroma_values({.is_marked = true}, {.value = 5}, 1000), ElementsAre(0, 5, 5));
  EXPECT_THAT(chroma_values({.value = 2}, {.is_marked = true}, 1000), ElementsAre(2, 0, 2));
  EXPECT_THAT(chroma_values({.is_marked = true}, {.is_marked = true}, 1000), ElementsAre(0, 0, 0));
}

TEST(SpeedScore, IsLimitedEachOnItsOwn) {
  EXPECT_THAT(chroma_values({.value = 10}, {.value = 60}, 45), ElementsAre(10, 45, 35));
  EXPECT_THAT(chroma_values({.value = NAN}, {.value = 5}, 45), ElementsAre(45, 5, 45));
}

}  // namespace
}  // namespace vq::speed
