// Curves, fronts, hulls, targets and ladders of made-up encodes.
#include "engine/comparison/rate_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr PlaneSize kLarge = {1280, 720}, kSmall = {640, 360};

Encode encode(double rate, double quality, const std::string& encoder = "x264", PlaneSize size = kLarge) {
  return {.encoder = encoder, .size = size, .point = RatePoint{rate, quality}};
}

// Small pictures are better up to some 1500, large ones above; the third of the large ones is beaten.
const std::vector<Encode> kTwoSizes = {encode(6000, 96),
                                       encode(3000, 92),
                                       encode(1500, 78),
                                       encode(800, 55),
                                       encode(2400, 82, "x264", kSmall),
                                       encode(1200, 80, "x264", kSmall),
                                       encode(600, 65, "x264", kSmall),
                                       encode(300, 45, "x264", kSmall)};

std::vector<std::string> names(const std::vector<EncodeCurve>& curves) {
  std::vector<std::string> list;
  for (const EncodeCurve& curve : curves) list.push_back(curve.name);
  return list;
}

TEST(EncodeCurves, EncodersHaveShortNames) {
  EXPECT_EQ(encoder_word("x264 - core 164 r3095 baee400", "h264"), "x264");
  EXPECT_EQ(encoder_word("x265 (build 199) - 3.5+1-f0c1022b6", "hevc"), "x265");
  EXPECT_EQ(encoder_word("Lavc59.37.100 libsvtav1", "av1"), "svtav1");
  EXPECT_EQ(encoder_word("Lavc59.37.100 h264_nvenc", "h264"), "h264_nvenc");
  EXPECT_EQ(encoder_word("SVT-AV1 Encoder Lib v1.4.1", "av1"), "SVT-AV1");
  EXPECT_EQ(encoder_word("Lavc59.37.100", "vp9"), "vp9");
  EXPECT_EQ(encoder_word("lib", ""), "lib");
  EXPECT_EQ(encoder_word("", "vp9"), "vp9");
  EXPECT_EQ(encoder_word("", ""), "unknown encoder");
}

TEST(EncodeCurves, ThereIsOneForEachEncoderAndSize) {
  const std::vector<Encode> one_size = {
      encode(2, 2), encode(1, 1, "x265"), encode(1, 1), {.encoder = "vp9", .size = kSmall, .point = {}}};
  const std::vector<EncodeCurve> curves = encode_curves(one_size);
  EXPECT_THAT(names(curves), ElementsAre("x264", "x265"));
  EXPECT_THAT(curves[0].encodes, ElementsAre(2, 0));
  std::vector<Encode> two_sizes = kTwoSizes;
  two_sizes.push_back(encode(1, 1, "x265", kSmall));
  EXPECT_THAT(names(encode_curves(two_sizes)),
              ElementsAre("x264 1280x720", "x264 640x360", "x264 hull", "x265 640x360"));
  EXPECT_THAT(encode_curves({}), IsEmpty());
}

TEST(EncodeCurves, TheFrontIsNotBeatenAndTheHullNotByMixturesEither) {
  EXPECT_THAT(pareto_front(kTwoSizes), ElementsAre(7, 6, 5, 4, 1, 0));
  EXPECT_THAT(encode_curves(kTwoSizes)[2].encodes, ElementsAre(7, 6, 5, 1, 0));
  // On a line, equal, and equally good for more.
  const std::vector<Encode> straight = {encode(1, 1), encode(2, 2), encode(3, 3), encode(3, 3), encode(4, 3)};
  EXPECT_THAT(pareto_front(straight), ElementsAre(0, 1, 2, 3));
  std::vector<Encode> of_two_sizes = straight;
  of_two_sizes[0].size = kSmall;
  EXPECT_THAT(encode_curves(of_two_sizes).back().encodes, ElementsAre(0, 2));
}

TEST(EncodeCurves, TheKneeLiesFurthestAboveTheStraightLine) {
  const std::vector<Encode> bent = {encode(100, 50), encode(200, 90), encode(400, 95), encode(10000, 96)};
  // 0.87 - 0.15, 0.98 - 0.30
  EXPECT_EQ(knee(bent, pareto_front(bent)), 1);
  const std::vector<Encode> even = {encode(100, 50), encode(200, 60), encode(400, 70)};
  EXPECT_EQ(knee(even, pareto_front(even)), std::nullopt);
  const std::vector<Encode> two = {encode(100, 50), encode(200, 90)};
  EXPECT_EQ(knee(two, pareto_front(two)), std::nullopt);
  EXPECT_EQ(knee({}, {}), std::nullopt);
}

std::vector<Encode> with_half_the_bits() {
  std::vector<Encode> all = kTwoSizes;
  for (const Encode& one : kTwoSizes)
    all.push_back(encode(one.point->rate / 2, one.point->quality, "x265", one.size));
  return all;
}

TEST(CurveDifferences, AreOfEqualSizesUnlessACurveIsNamed) {
  const std::vector<Encode> encodes = with_half_the_bits();
  const std::vector<EncodeCurve> curves = encode_curves(encodes);
  const std::vector<CurveDifference> found = differences(encodes, curves, "x264");
  ASSERT_EQ(found.size(), 3U);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].curve, 3 + i);
    EXPECT_EQ(found[i].anchor, i);
    EXPECT_NEAR(std::get<BjontegaardFigures>(*found[i].result).rate_percent, -50, 1e-9) << i;
  }
  const std::vector<CurveDifference> named = differences(encodes, curves, "x264 640x360");
  ASSERT_EQ(named.size(), 5U);
  for (const CurveDifference& one : named) EXPECT_EQ(one.anchor, 1U);
}

TEST(CurveDifferences, NeedAnAnchorOfThatSize) {
  std::vector<Encode> encodes = kTwoSizes;
  encodes.push_back(encode(1, 1, "x265", {320, 180}));
  const std::vector<EncodeCurve> curves = encode_curves(encodes);
  const std::vector<CurveDifference> found = differences(encodes, curves, "x264");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].anchor, std::nullopt);
  EXPECT_FALSE(found[0].result);
  EXPECT_TRUE(names_curve(curves, "x265"));
  EXPECT_TRUE(names_curve(curves, "x264 hull"));
  EXPECT_FALSE(names_curve(curves, "x266"));
}

TEST(Targets, LieBetweenTheirNeighbours) {
  const std::vector<EncodeCurve> curves = encode_curves(kTwoSizes);
  const TargetOnCurve found = target_on(kTwoSizes, curves[0], 85);
  EXPECT_EQ(found.below, 2U);
  EXPECT_EQ(found.above, 1U);
  EXPECT_THAT(*found.rate, testing::AllOf(testing::Gt(1500), testing::Lt(3000)));
  const TargetOnCurve too_good = target_on(kTwoSizes, curves[1], 85);
  EXPECT_EQ(too_good.below, 4U);
  EXPECT_EQ(too_good.above, std::nullopt);
  EXPECT_EQ(too_good.rate, std::nullopt);
  const TargetOnCurve too_bad = target_on(kTwoSizes, curves[0], 50);
  EXPECT_EQ(too_bad.below, std::nullopt);
  EXPECT_EQ(too_bad.above, 3U);
  EXPECT_EQ(too_bad.rate, std::nullopt);
  const TargetOnCurve just_met = target_on(kTwoSizes, curves[0], 92);
  EXPECT_EQ(just_met.below, 2U);
  EXPECT_EQ(just_met.above, 1U);
  EXPECT_NEAR(*just_met.rate, 3000, 1e-9);
}

TEST(Targets, AreNotInterpolatedInDisorder) {
  const std::vector<Encode> encodes = {encode(1, 10), encode(2, 30), encode(3, 20), encode(4, 40)};
  const TargetOnCurve found = target_on(encodes, encode_curves(encodes)[0], 25);
  EXPECT_EQ(found.below, 2U);
  EXPECT_EQ(found.above, 1U);
  EXPECT_EQ(found.rate, std::nullopt);
  EXPECT_THAT(*found.disorder, ElementsAre(1, 2));
}

TEST(Targets, TheCheapestThatReachesIsOfAllEncodes) {
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 78), 5U);
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 82), 4U);
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 96), 0U);
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 96.5), std::nullopt);
}

std::vector<std::optional<size_t>> encodes_of(const std::vector<Rung>& rungs) {
  std::vector<std::optional<size_t>> list;
  for (const Rung& rung : rungs) list.push_back(rung.encode);
  return list;
}

TEST(Ladder, HasTheBestOfEachSizeOnTheHull) {
  const std::vector<Rung> rungs = ladder(kTwoSizes, {}, std::nullopt);
  ASSERT_EQ(rungs.size(), 2U);
  EXPECT_EQ(rungs[0].size, kSmall);
  EXPECT_THAT(encodes_of(rungs), ElementsAre(5, 0));
  EXPECT_THAT(encodes_of(ladder(kTwoSizes, {}, 90)), ElementsAre(5, 1));
  const std::vector<Rung> low = ladder(kTwoSizes, {}, 60);
  EXPECT_THAT(encodes_of(low), ElementsAre(6, std::nullopt));
  EXPECT_EQ(low[1].gap, Rung::Gap::kNotNeeded);
  EXPECT_THAT(encodes_of(ladder(kTwoSizes, {}, 99)), ElementsAre(5, 0));
}

TEST(Ladder, SaysWhereASizeHasNoRung) {
  constexpr PlaneSize kHuge = {3840, 2160};
  std::vector<Encode> encodes = kTwoSizes;
  encodes.push_back(encode(4000, 50, "x264", {1920, 1080}));
  const std::vector<PlaneSize> sizes = {kHuge, {1920, 1080}, kSmall};
  const std::vector<Rung> rungs = ladder(encodes, sizes, std::nullopt);
  EXPECT_THAT(encodes_of(rungs), ElementsAre(5, std::nullopt, std::nullopt));
  EXPECT_EQ(rungs[1].gap, Rung::Gap::kBeaten);
  EXPECT_EQ(rungs[2].gap, Rung::Gap::kNoEncodes);
}

}  // namespace
}  // namespace vq
