#include "feature/butteraugli/butteraugli.h"

#include "tests/support/decoded_plane.h"
#include "tests/support/test.h"

namespace vq::butteraugli {
namespace {

const VideoFormat kVideo{.name = "show.mkv", .width = 20, .height = 16};

VideoFormats both(const VideoFormat& video) { return {video, video}; }

OptionSet options(std::initializer_list<std::pair<const char*, const char*>> given = {}) {
  OptionSet set(Butteraugli::kOptions.specs());
  for (const auto& [name, value] : given) set.set(name, value);
  return set;
}

TEST(ButteraugliPlan, TakesItsIntensityAndAsymmetry) {
  EXPECT_EQ(plan_of<Butteraugli>(options(), both(kVideo)).intensity, 80);
  const ButteraugliPlan plan =
      plan_of<Butteraugli>(options({{"intensity", "203"}, {"asymmetry", "0.8"}}), both(kVideo));
  EXPECT_EQ(plan.intensity, 203);
  EXPECT_EQ(plan.weights.squares.difference[0], static_cast<float>(400 * 0.8 * 0.8));
  EXPECT_EQ(plan.weights.squares.excess[0], static_cast<float>(400 / 0.8 * 0.8));
  // What the middle band counts is even.
  EXPECT_EQ(plan.weights.lines[kMiddleLines][0].up, make_weights(1).lines[kMiddleLines][0].up);
}

TEST(ButteraugliPlan, LightOfPqAndHlgHasAnIntensityOfItsOwn) {
  const auto intensity_of = [](Transfer transfer, OptionSet set) {
    VideoFormat video = kVideo;
    video.transfer = transfer;
    video.matrix = Matrix::kBt2020;
    const Resolution resolution = feature_info().resolve(set, both(video), AskedBy::kProgram);
    EXPECT_EQ(resolution.warnings.size(), 0U);
    return set.get_real("intensity");
  };
  EXPECT_EQ(intensity_of(Transfer::kBt1886, options()), 80);
  EXPECT_EQ(intensity_of(Transfer::kPq, options()), 100);
  EXPECT_EQ(intensity_of(Transfer::kHlg, options()), 1000);
  EXPECT_EQ(intensity_of(Transfer::kPq, options({{"intensity", "80"}})), 80);
  EXPECT_EQ(intensity_of(Transfer::kPq, options({{"transfer", "bt1886"}})), 80);
}

FrameResult scored(const VideoFormat& format, bool draws, bool is_grey = false) {
  const auto frame_of = [&](int step) {
    return vq::test::drawn_frame(format, [=](int plane, int x, int y) {
      if (is_grey && plane > 0) return 128;
      return (40 + 9 * x + 5 * y + plane * 40 + (x % 4 == 0 ? step : 0)) % 220;
    });
  };
  const auto feature = make_host_feature(plan_of<Butteraugli>(options(), both(format)),
                                         {.backend = Backend::kScalar, .heatmaps = draws});
  return feature->score({.distorted = frame_of(11), .reference = frame_of(0)});
}

TEST(ButteraugliHost, DrawsTheMapItScores) {
  const FrameResult result = scored(kVideo, true);
  ASSERT_EQ(result.heatmaps.size(), 1U);
  const Plane<uint16_t>& drawn = result.heatmaps.front();
  uint16_t most = 0;
  double cubes = 0;
  for (int y = 0; y < kVideo.height; ++y) {
    for (int x = 0; x < kVideo.width; ++x) {
      most = std::max(most, drawn.row(y)[x]);
      cubes += std::pow(drawn.row(y)[x] / 256.0, 3);
    }
  }
  EXPECT_GT(result.values[0], 1);
  EXPECT_EQ(most, static_cast<uint16_t>(result.values[0] * 256));
  EXPECT_NEAR(std::cbrt(cubes / (kVideo.width * kVideo.height)), result.values[2], 0.01);
  EXPECT_EQ(scored(kVideo, false).values, result.values);
  EXPECT_TRUE(scored(kVideo, false).heatmaps.empty());
}

TEST(ButteraugliHost, TinyPicturesDoNotDiffer) {
  VideoFormat tiny = kVideo;
  tiny.width = 7;
  const FrameResult result = scored(tiny, true);
  EXPECT_THAT(result.values, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(result.heatmaps.front().width(), 7);
}

TEST(ButteraugliHost, TakesVideoWithoutChromaAsGrey) {
  VideoFormat grey = kVideo;
  grey.chroma = Chroma::k400;
  const FrameResult result = scored(grey, false);
  EXPECT_EQ(result.values, scored(kVideo, false, true).values);
  EXPECT_NE(result.values, scored(kVideo, false).values);
}

}  // namespace
}  // namespace vq::butteraugli
