// What is worked out before the first frame, and scores from the figures of blocks. Filters and scaling are
// seen by the golden figures.
#include "feature/speed/speed.h"
#include "tests/support/test.h"

namespace vq::speed {
namespace {

TEST(SpeedFilter, ThereAreSomeForCertainScalesOnly) {
  for (const double scale :
       {1.0, 0.5, 1.5, 2.0, 0.666667, 2.4, 3.71134, 1.3333, 1.0005, 3.0, 0.4444, 1.4746, 1.111111}) {
    EXPECT_TRUE(is_known_kernel_scale(scale)) << scale;
  }
  for (const double scale : {0.9, 1.002, 2.5, 4.0, 0.1, 1.2})
    EXPECT_FALSE(is_known_kernel_scale(scale)) << scale;
}

VideoFormat plan_video(int width, int height, Chroma chroma = Chroma::k420, int bit_depth = 8) {
  return {.name = "video.y4m", .width = width, .height = height, .bit_depth = bit_depth, .chroma = chroma};
}

TEST(SpeedFeature, LooksAtWhatItNeeds) {
  const FeatureInfo &chroma = chroma_feature_info(), &temporal = temporal_feature_info();
  const OptionSet set(chroma.options), temporal_set(temporal.options);
  EXPECT_EQ(chroma.planes(set), 3);
  EXPECT_EQ(temporal.planes(temporal_set), 1);
  EXPECT_EQ(chroma.neighbours, nullptr);
  const NeighbourCount before = temporal.neighbours(temporal_set);
  EXPECT_EQ(before.distorted, 1);
  EXPECT_EQ(before.references, 1);
  EXPECT_TRUE(temporal.needs_every_frame(temporal_set));
  EXPECT_TRUE(chroma.needs_reference(set) && temporal.needs_reference(temporal_set));
  const VideoFormat hd = plan_video(1920, 1080);
  EXPECT_GT(chroma.memory(set, {hd, hd}, {}).fixed, 9 * 960 * 4);
}

// A plan whose planes have two blocks.
SpeedPlan plan_of(SpeedOptions options) {
  const VideoFormat format = {.name = "video", .width = 320, .height = 160};
  SpeedPlan plan = SpeedChroma::make_plan(options, {format, format});
  EXPECT_EQ(plan.plane.blocks(), 2);
  return plan;
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

}  // namespace
}  // namespace vq::speed
