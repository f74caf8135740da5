#include "feature/psnr_hvs/psnr_hvs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vq::psnr_hvs {
namespace {

using ::testing::ElementsAre;

VideoFormat video(int width, int height, Chroma chroma = Chroma::k420, int bit_depth = 8) {
  return {.name = "video.y4m", .width = width, .height = height, .bit_depth = bit_depth, .chroma = chroma};
}

TEST(PsnrHvsPlan, BlocksBeginAtEverySeventhSampleAndLieWithin) {
  EXPECT_EQ(blocks_along(7), 0);
  EXPECT_EQ(blocks_along(8), 1);
  EXPECT_EQ(blocks_along(14), 1);
  EXPECT_EQ(blocks_along(15), 2);
  EXPECT_EQ(blocks_along(1920), 274);
  EXPECT_EQ(blocks_along(1080), 154);
}

TEST(PsnrHvsPlan, SidesOfChromaAreRoundedUp) {
  const VideoFormat odd = video(357, 355);
  EXPECT_THAT(PsnrHvs::make_plan({}, {odd, odd}).sizes,
              ElementsAre(PlaneSize{357, 355}, PlaneSize{179, 178}, PlaneSize{179, 178}));
}

// 64 coefficients of one block, of which the mean error is 1 at 8 bits and a peak of 255.
TEST(PsnrHvsScore, IsTheMeanErrorInDecibelsBelowThePeak) {
  const VideoFormat small = video(8, 8, Chroma::k444);
  const PsnrHvsPlan plan = PsnrHvs::make_plan({}, {small, small});
  const double one = 20 * std::log10(255.0);
  const std::vector<double> alike = scores(plan, {64, 64, 64});
  ASSERT_EQ(alike.size(), 4U);
  for (const double score : alike) EXPECT_NEAR(score, one, 1e-5);
  // Luma counts for four fifths.
  const std::vector<double> of_luma = scores(plan, {64, 0, 0});
  EXPECT_NEAR(of_luma[3] - of_luma[0], 10 * std::log10(1 / 0.8), 1e-5);
  EXPECT_TRUE(std::isinf(of_luma[1]) && of_luma[1] > 0);
  const std::vector<double> of_cr = scores(plan, {0, 0, 64});
  EXPECT_NEAR(of_cr[3] - of_cr[2], 10, 1e-5);
}

// Identical planes are never among the worst.
TEST(PsnrHvsScore, OfIdenticalPlanesIsInfinite) {
  EXPECT_EQ(PsnrHvs::planes({}), 3);
  for (const MetricInfo& metric : feature_info().metrics) EXPECT_EQ(metric.flawless, HUGE_VAL) << metric.name;
}

}  // namespace
}  // namespace vq::psnr_hvs
