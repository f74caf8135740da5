// What is worked out before the first frame: filters, scaling, sizes, and what is refused.
#include "feature/speed/speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace vq::speed {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

TEST(SpeedFilter, AreThoseOfTheReferenceImplementation) {
  EXPECT_THAT(anti_alias_filter(1).taps,
              ElementsAre(0.0756488293F, 0.0991033912F, 0.120188937F, 0.13493669F, 0.14024429F, 0.13493669F,
                          0.120188937F, 0.0991033912F, 0.0756488293F));
  EXPECT_THAT(local_mean_filter(1).taps, ElementsAre(0.166378513F, 0.667242944F, 0.166378513F));
}

TEST(SpeedFilter, WidthsAreOddAndGrowWithTheScale) {
  EXPECT_EQ(anti_alias_filter(0.5).taps.size(), 5U);
  EXPECT_EQ(anti_alias_filter(1.5).taps.size(), 15U);
  EXPECT_EQ(anti_alias_filter(2).taps.size(), 19U);
  EXPECT_EQ(anti_alias_filter(3.71134).taps.size(), 35U);
  EXPECT_EQ(local_mean_filter(0.5).taps.size(), 3U);
  EXPECT_EQ(local_mean_filter(2).taps.size(), 5U);
  EXPECT_EQ(local_mean_filter(3.71134).taps.size(), 9U);
}

TEST(SpeedFilter, ThereAreSomeForCertainScalesOnly) {
  for (const double scale :
       {1.0, 0.5, 1.5, 2.0, 0.666667, 2.4, 3.71134, 1.3333, 1.0005, 3.0, 0.4444, 1.4746, 1.111111}) {
    EXPECT_TRUE(is_known_kernel_scale(scale)) << scale;
  }
  for (const double scale : {0.9, 1.002, 2.5, 4.0, 0.1, 1.2})
    EXPECT_FALSE(is_known_kernel_scale(scale)) << scale;
}

struct Taps {
  std::vector<int> index;
  std::vector<float> weight;
};
Taps taps_of(Method method, int in, int out, int wanted) {
  const AxisTaps axis = axis_taps(method, in, out, {wanted});
  Taps taps;
  for (int t = 0; t < axis.taps; ++t) {
    taps.index.push_back(axis.index[static_cast<size_t>(t * axis.stride)]);
    taps.weight.push_back(axis.weight[static_cast<size_t>(t * axis.stride)]);
  }
  return taps;
}

TEST(SpeedScaling, NearestTakesTheSampleAtTheStartOfEach) {
  EXPECT_THAT(taps_of(Method::kNearest, 10, 5, 3).index, ElementsAre(6));
  EXPECT_THAT(taps_of(Method::kNearest, 10, 20, 3).index, ElementsAre(1));
  EXPECT_THAT(taps_of(Method::kNearest, 10, 20, 19).weight, ElementsAre(1.0F));
}

TEST(SpeedScaling, BilinearTakesTheTwoAroundTheMiddle) {
  const Taps half = taps_of(Method::kBilinear, 10, 5, 1);  // at 2.5
  EXPECT_THAT(half.index, ElementsAre(2, 3));
  EXPECT_THAT(half.weight, ElementsAre(0.5F, 0.5F));
  const Taps twice = taps_of(Method::kBilinear, 10, 20, 3);  // at 1.25
  EXPECT_THAT(twice.index, ElementsAre(1, 2));
  EXPECT_THAT(twice.weight, ElementsAre(0.75F, 0.25F));
}

// Before the first sample lies the second, and the distance is from that: the reference does so.
TEST(SpeedScaling, BilinearExtrapolatesBeforeTheFirstSample) {
  const Taps before = taps_of(Method::kBilinear, 10, 20, 0);  // at -0.25
  EXPECT_THAT(before.index, ElementsAre(1, 0));
  EXPECT_THAT(before.weight, ElementsAre(2.25F, -1.25F));
}

TEST(SpeedScaling, BicubicAndLanczosAreInterpolating) {
  const Taps on_sample = taps_of(Method::kBicubic, 9, 3, 1);  // at 4
  EXPECT_THAT(on_sample.index, ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(on_sample.weight, ElementsAre(0.0F, 1.0F, 0.0F, 0.0F));
  const Taps between = taps_of(Method::kBicubic, 10, 5, 1);  // at 2.5
  EXPECT_THAT(between.weight, ElementsAre(-0.09375F, 0.59375F, 0.59375F, -0.09375F));
  const Taps lanczos = taps_of(Method::kLanczos4, 30, 10, 0);  // at 1
  EXPECT_THAT(lanczos.index, ElementsAre(3, 2, 1, 0, 1, 2, 3, 4, 5));
  EXPECT_EQ(lanczos.weight[4], 1.0F);
  EXPECT_EQ(lanczos.weight[0], 0.0F);
  EXPECT_THAT(taps_of(Method::kLanczos4, 20, 10, 5).weight[5], FloatEq(0.6203831F));  // half a sample away
}

VideoFormat plan_video(int width, int height, Chroma chroma = Chroma::k420, int bit_depth = 8) {
  return {.name = "video.y4m", .width = width, .height = height, .bit_depth = bit_depth, .chroma = chroma};
}

TEST(SpeedPlan, KeepsOneSampleIn16EachWayAndHasBlocksOf5) {
  const VideoFormat hd = plan_video(1920, 1080);
  const PlanePlan plan = SpeedChroma::make_plan({}, {hd, hd}).plane;
  EXPECT_EQ(plan.source, (PlaneSize{960, 540}));
  EXPECT_EQ(plan.kept, (PlaneSize{60, 33}));
  EXPECT_EQ(plan.blocks(), 12 * 6);
  EXPECT_FALSE(plan.rows || plan.columns);
}

TEST(SpeedPlan, OfOddSizesTheLastColumnAndRowAreNotLookedAt) {
  const VideoFormat odd = plan_video(357, 355);
  EXPECT_EQ(SpeedChroma::make_plan({}, {odd, odd}).plane.source, (PlaneSize{178, 177}));
  const VideoFormat wide = plan_video(357, 355, Chroma::k422);
  EXPECT_EQ(SpeedChroma::make_plan({}, {wide, wide}).plane.source, (PlaneSize{178, 355}));
  EXPECT_EQ(SpeedTemporal::make_plan({}, {odd, odd}).plane.source, (PlaneSize{357, 355}));
}

TEST(SpeedPlan, ScalesFirst) {
  const VideoFormat uhd = plan_video(3840, 2160);
  const PlanePlan plan = SpeedChroma::make_plan({.prescale = 0.5, .method = "bilinear"}, {uhd, uhd}).plane;
  EXPECT_EQ(plan.scaled, (PlaneSize{960, 540}));
  EXPECT_EQ(plan.rows->outputs, 540);
  EXPECT_EQ(plan.columns->outputs, 60 * 9 - 4);  // on the left the filter is mirrored
  EXPECT_FALSE(SpeedChroma::make_plan({.prescale = 1.0005}, {uhd, uhd}).plane.rows);
}

void refuses(const SpeedOptions& options, const VideoFormats& formats,
             std::initializer_list<std::string_view> parts, ErrorKind kind = ErrorKind::kMismatch) {
  vq::test::expect_error(kind, parts, [&] { SpeedChroma::make_plan(options, formats); });
}

TEST(SpeedPlan, RefusesWhatIsTooSmallWithItsSize) {
  const VideoFormat least = plan_video(160, 160), less = plan_video(160, 158);
  EXPECT_NO_THROW(SpeedChroma::make_plan({}, {least, least}));
  refuses({}, {less, less}, {"video.y4m", "80x79", "speed_chroma", "80x80"});
  const VideoFormat enough = plan_video(318, 318), small = plan_video(316, 318);
  EXPECT_NO_THROW(SpeedChroma::make_plan({.prescale = 0.5}, {enough, enough}));
  refuses({.prescale = 0.5}, {small, small}, {"79x80"});
}

TEST(SpeedPlan, RefusesVideosThatCannotBeCompared) {
  const VideoFormat grey = plan_video(640, 360, Chroma::k400), colour = plan_video(640, 360);
  refuses({}, {grey, grey}, {"video.y4m", "4:0:0", "speed_chroma"});
  refuses({}, {colour, grey}, {"4:0:0"});
  refuses({}, {colour, plan_video(640, 360, Chroma::k444)}, {"4:2:0", "4:4:4", "speed_chroma"});
  refuses({}, {colour, plan_video(640, 362)}, {"640x362", "speed_chroma"});
  refuses({}, {colour, std::nullopt}, {"speed_chroma", "reference"}, ErrorKind::kUsage);
  EXPECT_NO_THROW(SpeedTemporal::make_plan({}, {grey, grey}));
}

TEST(SpeedPlan, RefusesAKernelScaleThatHasNoFilters) {
  const VideoFormat colour = plan_video(640, 360);
  refuses({.kernel_scale = 2.5}, {colour, colour}, {"speed_kernelscale: "}, ErrorKind::kUsage);
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
  // 9 rows of 960 samples for each of 33 rows, of two planes of two videos.
  const VideoFormat hd = plan_video(1920, 1080);
  EXPECT_EQ(chroma.stage_bytes(set, {hd, hd}, Backend::kCpu).front().bytes, int64_t{33} * 9 * 960 * 4);
  EXPECT_GT(chroma.memory(set, {hd, hd}, {}).fixed, 9 * 960 * 4);
}

}  // namespace
}  // namespace vq::speed
