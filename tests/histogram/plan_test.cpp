#include "feature/histogram/histogram.h"

#include "tests/support/option_rows.h"

namespace vq::histogram {
namespace {

VideoFormat video(int depth, Range range = Range::kUnspecified) {
  return {.name = "show.mkv",
          .width = 641,
          .height = 361,
          .bit_depth = depth,
          .chroma = Chroma::k420,
          .range = range};
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

// The square of the sum of a plane's samples takes more than 64 bits.
TEST(HistogramFigures, LargePlanesOfDeepSamplesAreExact) {
  const HistogramPlan plan = make_plan(
      {}, {.name = {}, .width = kMaxSide, .height = kMaxSide, .bit_depth = 16, .range = Range::kFull});
  FrameCounts counts(plan);
  counts.bins[0][65535] = uint32_t{kMaxSide} * kMaxSide / 2;
  counts.bins[0][65533] = uint32_t{kMaxSide} * kMaxSide / 2;
  const FrameResult result = frame_result(plan, std::move(counts), true);
  EXPECT_EQ(result.values[0], 65534);
  EXPECT_EQ(result.values[1], 1);
  ASSERT_EQ(result.histograms.size(), 1U);
  EXPECT_EQ(result.histograms[0][65533], uint32_t{kMaxSide} * kMaxSide / 2);
}

}  // namespace
}  // namespace vq::histogram
