// The Bjontegaard metric, against figures that others published and examples to check by hand.
#include "engine/comparison/bjontegaard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vq {
namespace {

using Points = std::vector<RatePoint>;
using Reason = BjontegaardRefusal::Reason;
using testing::DoubleNear;
using testing::ElementsAre;

BjontegaardFigures figures(const Points& anchor, const Points& test) {
  return std::get<BjontegaardFigures>(bjontegaard(anchor, test));
}

BjontegaardRefusal refusal(const Points& anchor, const Points& test) {
  return std::get<BjontegaardRefusal>(bjontegaard(anchor, test));
}

Points scaled(Points points, double rate, double quality = 0) {
  for (RatePoint& point : points) {
    point.rate *= rate;
    point.quality += quality;
  }
  return points;
}

const Points kLadder = {{8000, 96}, {4000, 91}, {2000, 80}, {1000, 66}};

// Two of the comparisons of JCTVC-E137, with the results that the tests of VMAF's BDrateCalculator give for
// them.
TEST(Bjontegaard, IsThatOfJctVc) {
  const Points
      first = {{108048.8736, 43.6471}, {61279.976, 40.3953}, {33905.6656, 37.247}, {18883.6928, 34.2911}},
      second = {{108061.2784, 43.6768}, {61299.9936, 40.4232}, {33928.7472, 37.2761}, {18910.912, 34.3147}};
  EXPECT_NEAR(figures(first, second).rate_percent, 100 * -0.00465215420752807, 1e-9);
  const Points third = {{40433.8848, 37.5761},
                        {7622.7456, 35.3756},
                        {2394.488, 33.8977},
                        {1017.6184, 32.0603}},
               fourth = {
                   {40370.12, 37.5982}, {7587.0024, 35.4025}, {2390.0944, 33.9194}, {1017.0984, 32.0822}};
  EXPECT_NEAR(figures(third, fourth).rate_percent, 100 * -0.018779823450567612, 1e-9);
}

TEST(Bjontegaard, OfCurvesThatAreMovedIsHowFar) {
  const BjontegaardFigures fewer = figures(kLadder, scaled(kLadder, 0.75));
  EXPECT_NEAR(fewer.rate_percent, -25, 1e-9);
  EXPECT_GT(fewer.quality, 0);
  EXPECT_THAT(fewer.qualities, ElementsAre(66, 96));
  EXPECT_THAT(fewer.rates, ElementsAre(DoubleNear(1000, 1e-6), DoubleNear(6000, 1e-6)));
  const BjontegaardFigures better = figures(kLadder, scaled(kLadder, 1, 2));
  EXPECT_NEAR(better.quality, 2, 1e-12);
  EXPECT_LT(better.rate_percent, 0);
  EXPECT_THAT(better.qualities, ElementsAre(68, 96));
  EXPECT_NEAR(figures(kLadder, kLadder).rate_percent, 0, 1e-12);
}

TEST(Bjontegaard, TheOtherWayRoundIsTheInverse) {
  const Points other = {{900, 60}, {2500, 85}, {5000, 90}, {7500, 97}, {9000, 98}};
  const double there = figures(kLadder, other).rate_percent, back = figures(other, kLadder).rate_percent;
  EXPECT_NEAR((1 + there / 100) * (1 + back / 100), 1, 1e-12);
  EXPECT_NEAR(figures(kLadder, other).quality, -figures(other, kLadder).quality, 1e-12);
}

TEST(Bjontegaard, NeedsFourDifferentPointsInOrder) {
  Points few(kLadder.begin(), kLadder.end() - 1);
  EXPECT_EQ(refusal(few, kLadder).reason, Reason::kFewPoints);
  EXPECT_TRUE(refusal(few, kLadder).is_of_anchor);
  few.push_back(few.front());
  EXPECT_EQ(refusal(kLadder, few).reason, Reason::kFewPoints);
  EXPECT_FALSE(refusal(kLadder, few).is_of_anchor);
  Points disordered = kLadder;
  disordered.push_back({3000, 79});
  EXPECT_EQ(refusal(kLadder, disordered).reason, Reason::kDisorder);
  EXPECT_THAT(refusal(kLadder, disordered).points, ElementsAre(2, 4));
  disordered.back() = {9000, 96};  // a score that has reached its limit
  EXPECT_THAT(refusal(disordered, kLadder).points, ElementsAre(0, 4));
  disordered.back() = {8000, 97};
  EXPECT_THAT(refusal(disordered, kLadder).points, ElementsAre(0, 4));
  disordered.back() = kLadder[1];
  EXPECT_NEAR(figures(kLadder, disordered).rate_percent, 0, 1e-12);
}

TEST(Bjontegaard, NeedsQualitiesAndRatesThatBothCover) {
  EXPECT_EQ(refusal(kLadder, scaled(kLadder, 1, 30)).reason, Reason::kNoOverlap);
  EXPECT_EQ(refusal(kLadder, scaled(kLadder, 8)).reason, Reason::kNoOverlap);
}

TEST(PiecewiseCubic, PassesThroughItsPointsAndIsMonotonicBetween) {
  const PiecewiseCubic curve({0, 1, 4, 5, 9}, {0, 5, 5.5, 9, 9.25});
  double last = -1;
  for (double x = 0; x <= 9; x += 1.0 / 64) {
    EXPECT_GE(curve.at(x), last) << x;
    last = curve.at(x);
  }
  EXPECT_EQ(curve.at(4), 5.5);
  EXPECT_EQ(curve.at(9), 9.25);
}

// By hand: flat at the extremum, and at the left end 3 times the rise of 1, where a parabola would have 4.
TEST(PiecewiseCubic, NeverOvershootsAnExtremum) {
  const PiecewiseCubic curve({0, 1, 2}, {0, 1, -4});
  EXPECT_NEAR(curve.at(0.5), 0.875, 1e-12);
  for (double x = 0; x <= 2; x += 1.0 / 64) EXPECT_LE(curve.at(x), 1) << x;
}

TEST(PiecewiseCubic, IntegratesWhatItIs) {
  const PiecewiseCubic line({1, 3}, {10, 30}), curve({0, 1, 4, 5, 9}, {0, 5, 5.5, 9, 9.25});
  EXPECT_NEAR(line.at(2.5), 25, 1e-12);
  EXPECT_NEAR(line.integral(1.5, 2.5), 20, 1e-12);
  constexpr int kSteps = 100000;
  const double from = 0.3, to = 8.2, width = (to - from) / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += curve.at(from + (i + 0.5) * width) * width;
  EXPECT_NEAR(curve.integral(from, to), sum, 1e-6);
  EXPECT_NEAR(curve.integral(1.25, 3), curve.integral(1.25, 2) + curve.integral(2, 3), 1e-12);
}

TEST(RateAt, IsInterpolatedBetweenThePoints) {
  EXPECT_NEAR(*rate_at(kLadder, 91), 4000, 1e-9);
  EXPECT_NEAR(*rate_at(kLadder, 66), 1000, 1e-9);
  EXPECT_NEAR(*rate_at(Points{{1000, 60}, {4000, 80}}, 70), 2000, 1e-9);
  EXPECT_THAT(*rate_at(kLadder, 85), testing::AllOf(testing::Gt(2000), testing::Lt(4000)));
  EXPECT_EQ(rate_at(kLadder, 65.9), std::nullopt);
  EXPECT_EQ(rate_at(kLadder, 96.1), std::nullopt);
  EXPECT_EQ(rate_at(Points{{1000, 60}}, 60), std::nullopt);
  EXPECT_EQ(rate_at(Points{{1000, 60}, {2000, 60}}, 60), std::nullopt);
  EXPECT_EQ(rate_at({}, 60), std::nullopt);
}

}  // namespace
}  // namespace vq
