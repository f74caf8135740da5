#include "feature/psnr_hvs/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "feature/psnr_hvs/feature.h"

namespace vq::psnr_hvs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

VideoFormat video(int width, int height, Chroma chroma = Chroma::k420, int bit_depth = 8) {
  VideoFormat format;
  format.name = "video.y4m";
  format.width = width;
  format.height = height;
  format.chroma = chroma;
  format.bit_depth = bit_depth;
  return format;
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
  EXPECT_THAT(make_plan({odd, odd}).sizes, ElementsAre(PlaneSize{357, 355}, PlaneSize{179, 178}, PlaneSize{179, 178}));
}

TEST(PsnrHvsPlan, BringsBothToTheDepthOfTheDeeper) {
  const PsnrHvsPlan plan = make_plan({video(64, 64), video(64, 64, Chroma::k420, 10)});
  EXPECT_EQ(plan.bit_depth, 10);
  EXPECT_EQ(plan.distorted_shift, 2);
  EXPECT_EQ(plan.reference_shift, 0);
}

std::string refusal(const InputFormats& formats, ErrorKind kind = ErrorKind::kMismatch) {
  try {
    make_plan(formats);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "";
}

TEST(PsnrHvsPlan, RefusesWhatItCannotScore) {
  const VideoFormat least = video(15, 15), less = video(15, 14), grey = video(64, 64, Chroma::k400),
                    deep = video(64, 64, Chroma::k420, 14);
  EXPECT_EQ(refusal({least, least}), "");
  EXPECT_EQ(refusal({less, less}), "video.y4m has planes of 8x7; psnr_hvs needs 8x8 at least.");
  EXPECT_EQ(refusal({grey, grey}), "video.y4m is 4:0:0; psnr_hvs needs videos with chroma.");
  EXPECT_EQ(refusal({deep, deep}), "video.y4m has 14 bits; psnr_hvs takes 12 at most.");
  EXPECT_THAT(refusal({video(64, 64), deep}), HasSubstr("14 bits"));
  EXPECT_THAT(refusal({video(64, 64), video(64, 66)}), HasSubstr("psnr_hvs needs videos of one size"));
  EXPECT_THAT(refusal({video(64, 64), video(64, 64, Chroma::k444)}), HasSubstr("chroma of one sampling"));
  EXPECT_THAT(refusal({least, std::nullopt}, ErrorKind::kUsage), HasSubstr("there is none"));
}

// 64 coefficients of one block, of which the mean error is 1 at 8 bits and a peak of 255.
TEST(PsnrHvsScore, IsTheMeanErrorInDecibelsBelowThePeak) {
  const VideoFormat small = video(8, 8, Chroma::k444);
  const PsnrHvsPlan plan = make_plan({small, small});
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

TEST(PsnrHvsScore, ValuesComeInTheOrderOfTheirNames) {
  const OptionSet set(feature_info().options);
  EXPECT_THAT(feature_info().metric_names(set), ElementsAre("psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"));
  EXPECT_EQ(feature_info().planes(set), 3);
  // Identical planes are never among the worst.
  for (const MetricInfo& metric : feature_info().metrics) EXPECT_EQ(metric.flawless, HUGE_VAL) << metric.name;
}

// The table's first and last numbers, and one on either side of the diagonal.
TEST(PsnrHvsWeights, AreSymmetricAndDifferByPlane) {
  EXPECT_EQ(weights_of(0).contrast[0], 1.6193873005F);
  EXPECT_EQ(weights_of(0).contrast[63], 0.109083846276F);
  EXPECT_EQ(weights_of(1).contrast[63], 0.295530605237F);
  EXPECT_EQ(weights_of(2).contrast[7], 0.593906509971F);
  EXPECT_EQ(weights_of(2).contrast[56], 0.593906509971F);
  EXPECT_EQ(weights_of(0).contrast[8 * 2 + 6], 0.501731932449F);
  EXPECT_EQ(weights_of(0).contrast[8 * 6 + 2], 0.501731932449F);
  EXPECT_FLOAT_EQ(weights_of(0).masking[0], 0.3959591F);
}

}  // namespace
}  // namespace vq::psnr_hvs
