#include "feature/histogram/plan.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "feature/histogram/histogram.h"
#include "tests/support/option_rows.h"

namespace vq::histogram {
namespace {

using ::testing::ElementsAre;

VideoFormat video(int depth, Range range = Range::kUnspecified) {
  return {.name = "show.mkv",
          .width = 641,
          .height = 361,
          .bit_depth = depth,
          .chroma = Chroma::k420,
          .range = range};
}

TEST(HistogramPlan, LimitsOfAChannelAreThoseOfItsRange) {
  const HistogramPlan limited = make_plan({.planes = Planes::kYcbcr}, video(10));
  EXPECT_EQ(limited.bins.bins, 1024U);
  EXPECT_EQ(limited.channels[0].low, 63U);
  EXPECT_EQ(limited.channels[0].first, 64U);
  EXPECT_EQ(limited.channels[0].last, 940U);
  EXPECT_EQ(limited.channels[0].high, 941U);
  EXPECT_EQ(limited.channels[2].low, 63U);
  EXPECT_EQ(limited.channels[2].high, 961U);
  EXPECT_EQ(limited.channels[0].samples, 641 * 361);
  EXPECT_EQ(limited.channels[1].samples, 321 * 181);

  const HistogramPlan full = make_plan({}, video(10, Range::kFull));
  ASSERT_EQ(full.channels.size(), 1U);
  EXPECT_EQ(full.channels[0].low, 0U);
  EXPECT_EQ(full.channels[0].high, 1023U);
  EXPECT_EQ(full.channels[0].last, 1023U);

  const HistogramPlan rgb = make_plan({.planes = Planes::kRgb}, video(12));
  ASSERT_EQ(rgb.channels.size(), 4U);
  for (const Channel& channel : rgb.channels) {
    EXPECT_EQ(channel.low, 0U);
    EXPECT_EQ(channel.high, 4095U);
    EXPECT_EQ(channel.samples, 641 * 361);
  }
}

TEST(HistogramPlan, FewerBinsHaveTheLimitsOf8Bits) {
  const HistogramPlan plan = make_plan({.planes = Planes::kYcbcr, .bins = 256}, video(12));
  EXPECT_EQ(plan.bins.bins, 256U);
  EXPECT_EQ(plan.bins.shift, 4U);
  EXPECT_EQ(plan.channels[0].low, 15U);
  EXPECT_EQ(plan.channels[0].high, 236U);
  EXPECT_EQ(plan.channels[1].high, 241U);
}

// By hand, BT.709 at 8 bits: 255/219 and 255/224 times 1.5748, 0.18732, 0.46812 and 1.8556, in 1/8192.
TEST(HistogramPlan, ConstantsAreTheCoefficientsIn13FractionBits) {
  const RgbConstants limited = rgb_constants(Matrix::kBt709, Range::kLimited, 8);
  EXPECT_EQ(limited.luma_offset, 16);
  EXPECT_EQ(limited.chroma_offset, 128);
  EXPECT_EQ(limited.luma_scale, 9539);
  EXPECT_EQ(limited.cr_to_r, 14686);
  EXPECT_EQ(limited.cb_to_g, -1747);
  EXPECT_EQ(limited.cr_to_g, -4366);
  EXPECT_EQ(limited.cb_to_b, 17305);
  EXPECT_EQ(limited.peak, 255);
  const RgbConstants full = rgb_constants(Matrix::kBt2020, Range::kFull, 10);
  EXPECT_EQ(full.luma_offset, 0);
  EXPECT_EQ(full.chroma_offset, 512);
  EXPECT_EQ(full.luma_scale, 8192);
  EXPECT_EQ(full.cr_to_r, 12080);
  EXPECT_EQ(full.cb_to_b, 15412);
  EXPECT_EQ(full.peak, 1023);
}

TEST(HistogramPlan, AVideoWithoutAMatrixIsTakenForHdOrSdByItsSize) {
  VideoFormat unnamed = video(8);
  EXPECT_EQ(matrix_of(unnamed), Matrix::kBt601);
  unnamed.height = 720;
  EXPECT_EQ(matrix_of(unnamed), Matrix::kBt709);
  unnamed.height = 534;
  unnamed.width = 1280;
  EXPECT_EQ(matrix_of(unnamed), Matrix::kBt709);
  unnamed.matrix = Matrix::kBt2020;
  EXPECT_EQ(matrix_of(unnamed), Matrix::kBt2020);
}

TEST(HistogramPlan, RefusesWhatTheVideoDoesNotHave) {
  VideoFormat format = video(8);
  format.matrix = Matrix::kOther;
  vq::test::expect_error(ErrorKind::kMismatch, {"planes=ycbcr"},
                         [&] { make_plan({.planes = Planes::kRgb}, format); });
  EXPECT_NO_THROW(make_plan({.planes = Planes::kYcbcr}, format));
  format.chroma = Chroma::k400;
  vq::test::expect_error(ErrorKind::kMismatch, {"chroma"},
                         [&] { make_plan({.planes = Planes::kYcbcr}, format); });
}

OptionSet options(const std::vector<std::pair<std::string, std::string>>& settings) {
  return vq::test::set_of(Histogram::kOptions.specs(), settings);
}

TEST(HistogramOptions, ChannelsAreNamedAndOnlyWhatIsOfAllOfThemSaysWhichPlanes) {
  const std::vector<std::string> names =
      Histogram::metric_names(options({{"planes", "rgb"}, {"clip_share", "0.01"}}));
  ASSERT_EQ(names.size(), 4 * kFigures.size() + 2);
  EXPECT_EQ(names.front(), "histogram_r_mean_clip_share_0.01");
  EXPECT_EQ(names.back(), "histogram_highlight_clipping_clip_share_0.01_planes_rgb");
  EXPECT_EQ(Histogram::metric_names(options({})).front(), "histogram_y_mean");
  EXPECT_EQ(Histogram::metric_names(options({{"planes", "ycbcr"}})).size(), 3 * kFigures.size() + 2);
  EXPECT_EQ(Histogram::metric_names(options({{"file", "x.npy"}})), Histogram::metric_names(options({})));
}

TEST(HistogramFeature, LumaIsCountedAloneWhereThereIsNoChroma) {
  VideoFormat grey = video(8);
  grey.chroma = Chroma::k400;
  OptionSet set = options({{"planes", "rgb"}});
  EXPECT_THAT(feature_info().resolve(set, {grey, {}}, AskedBy::kUser).notes,
              ElementsAre("histogram of luma alone (the video has no chroma)"));
  EXPECT_EQ(set.get_text("planes"), "y");
}

TEST(HistogramFeature, AMatrixThatIsAssumedIsSaid) {
  OptionSet set = options({{"planes", "rgb"}});
  VideoFormat format = video(8);
  EXPECT_THAT(feature_info().resolve(set, {format, {}}, AskedBy::kUser).notes,
              ElementsAre("histogram: matrix=bt601 (assumed)"));
  format.matrix = Matrix::kBt601;
  EXPECT_THAT(feature_info().resolve(set, {format, {}}, AskedBy::kUser).notes, ElementsAre());
}

TEST(HistogramFeature, DescribesEveryMetricItReports) {
  for (const char* planes : {"ycbcr", "rgb"}) {
    for (const std::string& name : Histogram::metric_names(options({{"planes", planes}}))) {
      const auto& metrics = feature_info().metrics;
      EXPECT_TRUE(std::any_of(metrics.begin(), metrics.end(), [&](const MetricInfo& metric) {
        return name == metric.name || name.starts_with(std::string(metric.name) + "_planes_");
      })) << name;
    }
  }
}

}  // namespace
}  // namespace vq::histogram
