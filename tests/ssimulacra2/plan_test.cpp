#include "feature/ssimulacra2/ssimulacra2.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vq::ssimulacra2 {
namespace {

VideoFormat video(int width, int height) {
  return {.name = "video", .width = width, .height = height};
}

Plan plan_for(int width, int height, const char* form = "short") {
  Options options;
  options.form = form;
  return Ssimulacra2::make_plan(options, {video(width, height), video(width, height)});
}

std::vector<PlaneSize> sizes_of(const Plan& plan) {
  std::vector<PlaneSize> sizes;
  for (const ScalePlan& scale : plan.scales) sizes.push_back(scale.size);
  return sizes;
}

int count_sums(const Plan& plan) {
  int count = 0;
  for (const ScalePlan& scale : plan.scales) {
    for (const Weights& weights : scale.weights) {
      for (const double weight : weights) count += weight > 0 ? 1 : 0;
    }
  }
  return count;
}

TEST(Ssimulacra2Plan, HalvesWhileBothSidesAreLongEnough) {
  EXPECT_EQ(sizes_of(plan_for(1920, 1080, "exact")),
            (std::vector<PlaneSize>{{1920, 1080}, {960, 540}, {480, 270}, {240, 135}, {120, 68}, {60, 34}}));
  EXPECT_EQ(sizes_of(plan_for(8, 400, "exact")), (std::vector<PlaneSize>{{8, 400}, {4, 200}}));
  EXPECT_EQ(sizes_of(plan_for(15, 17, "exact")), (std::vector<PlaneSize>{{15, 17}, {8, 9}, {4, 5}}));
}

// Of the 108 weights 52 are not 0, and 25 are above 0.01. The sixth scale has none of these.
TEST(Ssimulacra2Plan, TheShortFormNeedsLess) {
  EXPECT_EQ(count_sums(plan_for(1920, 1080, "exact")), 52);
  const Plan plan = plan_for(1920, 1080);
  EXPECT_EQ(count_sums(plan), 25);
  EXPECT_EQ(plan.scales.size(), 5U);
  EXPECT_FALSE(plan.scales[0].needs(kX));
  EXPECT_TRUE(plan.scales[0].needs(kY));
  EXPECT_FALSE(plan.scales[0].needs(kB));
  EXPECT_EQ(plan.scales[2].weights[kY][sum_index(kStructure, kMean)], 225.20515300849274);
  EXPECT_EQ(plan.scales[4].weights[kB][sum_index(kArtefact, kFourth)], 171.2667255897307);
}

// With five scales the first of Y has index 30.
TEST(Ssimulacra2Plan, WeightsMoveUpWhereScalesAreMissing) {
  const Plan plan = plan_for(128, 96);
  EXPECT_EQ(plan.scales.size(), 5U);
  EXPECT_EQ(plan.scales[1].weights[kY][sum_index(kStructure, kFourth)], 7.466890328078848);
}

// 300 tiles: in the first 256 each is added to the one 128 behind, then 64 and so on; 44 follow.
TEST(Ssimulacra2Total, AddsByHalves) {
  std::vector<float> tiles(300, 0.0F);
  tiles[0] = 0x1p24F;
  tiles[128] = 1;  // lost: added to the first alone
  tiles[1] = 1;
  tiles[3] = 1;  // these two meet before they meet the first
  tiles[256] = 1;
  EXPECT_EQ(total(tiles), 0x1p24 + 2 + 1);
  EXPECT_EQ(total({}), 0);
}

TEST(Ssimulacra2Total, FoldsTilesByHalves) {
  Plane<float> rows(17, 8);
  std::array<float*, kTile / 2> all = {};
  for (int y = 0; y < 8; ++y) {
    all[static_cast<size_t>(y)] = rows.row(y);
    std::fill_n(rows.row(y), 32, 0.0F);
  }
  rows.row(0)[0] = 0x1p24F;
  rows.row(4)[0] = 1;  // lost
  rows.row(1)[0] = 1;
  rows.row(3)[0] = 1;
  rows.row(7)[16] = 5;
  float tiles[2] = {};
  fold_tiles(all, 17, tiles);
  EXPECT_EQ(tiles[0], 0x1p24F + 2);
  EXPECT_EQ(tiles[1], 5);
}

TEST(Ssimulacra2Score, IsThatOfTheReference) {
  EXPECT_EQ(score_of(0), 100);
  EXPECT_EQ(score_of(1e-100), 100);
  const double s = 3 * 0.9562382616834844;
  const double t = 2.326765642916932 * s - 0.020884521182843837 * s * s + 6.248496625763138e-05 * s * s * s;
  EXPECT_NEAR(score_of(3), 100 - 10 * std::pow(t, 0.6276336467831387), 1e-12);
}

}  // namespace
}  // namespace vq::ssimulacra2
