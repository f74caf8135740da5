#include "feature/histogram/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace vq::histogram {
namespace {

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

// By hand: 4 samples of 10, 4 of 20, 2 of 60.
TEST(HistogramFigures, OfTenSamples) {
  const auto figures =
      figures_of({10, 20, 60, 10, 20, 60, 10, 20, 10, 20}, {}, {.name = {}, .range = Range::kFull});
  EXPECT_EQ(figures.at("mean"), 24);
  EXPECT_EQ(figures.at("stdev"), std::sqrt((4 * 196 + 4 * 16 + 2 * 1296) / 10.0));
  EXPECT_EQ(figures.at("min"), 10);
  EXPECT_EQ(figures.at("p1"), 10);
  EXPECT_EQ(figures.at("p50"), 20);
  EXPECT_EQ(figures.at("p99"), 60);
  EXPECT_EQ(figures.at("max"), 60);
  EXPECT_DOUBLE_EQ(figures.at("entropy"), -(0.8 * std::log2(0.4) + 0.2 * std::log2(0.2)));
  EXPECT_EQ(figures.at("used"), 3.0 / 256);
  EXPECT_EQ(figures.at("clipped_low"), 0);
  EXPECT_EQ(figures.at("clipped_high"), 0);
}

// The percentile is the value that the share is reached at, not the one after it.
TEST(HistogramFigures, APercentileIsTheFirstValueThatReachesIt) {
  std::vector<uint16_t> samples(100, 50);
  samples[0] = 3;
  EXPECT_EQ(figures_of(samples, {}, {}).at("p1"), 3);
  samples.push_back(50);  // 1 % of 101 samples are more than one
  EXPECT_EQ(figures_of(samples, {}, {}).at("p1"), 50);
  EXPECT_EQ(figures_of({1, 2, 3, 4}, {}, {}).at("p50"), 2);
  EXPECT_EQ(figures_of({1, 2, 3, 4}, {}, {}).at("p99"), 4);
}

TEST(HistogramFigures, AFlatPictureHasNoSpreadAndNoEntropy) {
  const auto figures = figures_of(std::vector<uint16_t>(9999, 777), {}, {.name = {}, .bit_depth = 10});
  EXPECT_EQ(figures.at("mean"), 777);
  EXPECT_EQ(figures.at("stdev"), 0);
  EXPECT_EQ(figures.at("entropy"), 0);
  EXPECT_FALSE(std::signbit(figures.at("entropy")));
  EXPECT_EQ(figures.at("used"), 1.0 / 877);
}

TEST(HistogramFigures, BinsStandForTheirLowestValueAndTheEndsStayExact) {
  const auto figures = figures_of({65, 67, 103, 939}, {.bins = 256}, {.name = {}, .bit_depth = 10});
  EXPECT_EQ(figures.at("mean"), (64 + 64 + 100 + 936) / 4.0);
  EXPECT_EQ(figures.at("p50"), 64);
  EXPECT_EQ(figures.at("min"), 65);
  EXPECT_EQ(figures.at("max"), 939);
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

TEST(HistogramFigures, FlagsNeedTheShareAndASample) {
  const std::vector<uint16_t> samples = {15, 100, 100, 100};
  const auto at_share = figures_of(samples, {.clip_share = 0.25}, {});
  EXPECT_EQ(at_share.at("shadow_clipping"), 1);
  EXPECT_EQ(at_share.at("highlight_clipping"), 0);
  EXPECT_EQ(at_share.at("all_shadow_clipping"), 1);
  EXPECT_EQ(at_share.at("all_highlight_clipping"), 0);
  EXPECT_EQ(figures_of(samples, {.clip_share = 0.26}, {}).at("shadow_clipping"), 0);
  const auto any = figures_of(samples, {.clip_share = 0}, {});
  EXPECT_EQ(any.at("shadow_clipping"), 1);
  EXPECT_EQ(any.at("highlight_clipping"), 0);
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
