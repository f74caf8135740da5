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

// Of a channel: clipped up to the first and from the last on, used between the other two.
std::array<uint32_t, 4> limits(const HistogramPlan& plan, size_t channel) {
  const Channel& one = plan.channels.at(channel);
  return {one.low, one.first, one.last, one.high};
}

TEST(HistogramPlan, LimitsOfAChannelAreThoseOfItsRange) {
  const HistogramPlan limited = make_plan({.planes = Planes::kYcbcr}, video(10));
  EXPECT_EQ(limited.bins.bins, 1024U);
  EXPECT_THAT(limits(limited, 0), ElementsAre(63, 64, 940, 941));
  EXPECT_THAT(limits(limited, 2), ElementsAre(63, 64, 960, 961));
  EXPECT_EQ(limited.channels[0].samples, 641 * 361);
  EXPECT_EQ(limited.channels[1].samples, 321 * 181);
  const HistogramPlan full = make_plan({}, video(10, Range::kFull));
  EXPECT_EQ(full.channels.size(), 1U);
  EXPECT_THAT(limits(full, 0), ElementsAre(0, 0, 1023, 1023));
  const HistogramPlan rgb = make_plan({.planes = Planes::kRgb}, video(12));
  EXPECT_EQ(rgb.channels.size(), 4U);
  for (size_t i = 0; i < rgb.channels.size(); ++i) {
    EXPECT_THAT(limits(rgb, i), ElementsAre(0, 0, 4095, 4095));
    EXPECT_EQ(rgb.channels[i].samples, 641 * 361);
  }
}

TEST(HistogramPlan, FewerBinsHaveTheLimitsOf8Bits) {
  const HistogramPlan plan = make_plan({.planes = Planes::kYcbcr, .bins = 256}, video(12));
  EXPECT_EQ(plan.bins.bins, 256U);
  EXPECT_EQ(plan.bins.shift, 4U);
  EXPECT_THAT(limits(plan, 0), ElementsAre(15, 16, 235, 236));
  EXPECT_THAT(limits(plan, 1), ElementsAre(15, 16, 240, 241));
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
      EXPECT_TRUE(std::ranges::any_of(metrics, [&](const MetricInfo& metric) {
        return name == metric.name || name.starts_with(std::string(metric.name) + "_planes_");
      })) << name;
    }
  }
}

// Figures of the luma of a frame with these samples, by name.
std::map<std::string, double> figures_of(const std::vector<uint16_t>& samples,
                                         const HistogramOptions& options, VideoFormat video) {
  video.width = static_cast<int>(samples.size());
  video.height = 1;
  const HistogramPlan plan = make_plan(options, video);
  FrameCounts counts(plan);
  SampleView view;
  view.u16 = {samples.data(), video.width, 1, video.width};
  scalar::count_plane(view, plan.bins, counts.channels[0]);
  const FrameResult result = frame_result(plan, std::move(counts), false);
  EXPECT_EQ(result.values.size(), kFigures.size() + kOverallFigures.size());
  EXPECT_TRUE(result.histograms.empty());
  std::map<std::string, double> figures;
  for (size_t i = 0; i < result.values.size(); ++i) {
    figures[i < kFigures.size() ? std::string(kFigures[i])
                                : "all_" + std::string(kOverallFigures[i - kFigures.size()])] =
        result.values[i];
  }
  return figures;
}

TEST(HistogramFigures, ClippingIsBeyondTheLimitsOfTheRange) {
  const auto limited = figures_of({15, 16, 235, 236, 255, 100, 100, 100}, {}, {});
  EXPECT_EQ(limited.at("clipped_low"), 1.0 / 8);
  EXPECT_EQ(limited.at("clipped_high"), 2.0 / 8);
  EXPECT_EQ(limited.at("used"), 3.0 / 220);
  const auto full = figures_of({0, 1, 254, 255, 255, 100, 100, 100}, {}, {.name = {}, .range = Range::kFull});
  EXPECT_EQ(full.at("clipped_low"), 1.0 / 8);
  EXPECT_EQ(full.at("clipped_high"), 2.0 / 8);
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
