#include "feature/ssim/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace vq::ssim {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

InputFormats videos(int width, int height, int bit_depth = 8) {
  const VideoFormat format{.name = "show.mkv", .width = width, .height = height, .bit_depth = bit_depth};
  return {format, format};
}

TEST(SsimOptions, HaveTheDefaultsOfTheReferenceImplementation) {
  for (const Feature feature : {Feature::kSsim, Feature::kMsSsim}) {
    const SsimOptions options = to_options(feature, OptionSet(option_specs(feature)));
    EXPECT_FALSE(options.parts);
    EXPECT_FALSE(options.db);
    EXPECT_FALSE(options.clip_db);
    EXPECT_EQ(options.scale, 0);
  }
}

TEST(SsimOptions, AreReadEachByItsName) {
  OptionSet set(option_specs(Feature::kSsim));
  set.set("enable_lcs", "true");
  EXPECT_TRUE(to_options(Feature::kSsim, set).parts);
  EXPECT_FALSE(to_options(Feature::kSsim, set).db);
  set.set("enable_db", "true");
  EXPECT_TRUE(to_options(Feature::kSsim, set).db);
  EXPECT_FALSE(to_options(Feature::kSsim, set).clip_db);
  set.set("clip_db", "true");
  EXPECT_TRUE(to_options(Feature::kSsim, set).clip_db);
  set.set("scale", "10");
  EXPECT_EQ(to_options(Feature::kSsim, set).scale, 10);
  EXPECT_THROW(set.set("scale", "11"), Error);
  EXPECT_THROW(set.set("scale", "-1"), Error);
  EXPECT_EQ(set.metric_name("float_ssim"), "float_ssim");
  OptionSet scales(option_specs(Feature::kMsSsim));
  EXPECT_THROW(scales.set("scale", "1"), Error);
}

TEST(SsimOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(metric_names(Feature::kSsim, {}), ElementsAre("float_ssim"));
  EXPECT_THAT(metric_names(Feature::kSsim, {.parts = true}),
              ElementsAre("float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"));
  const std::vector<std::string> names = metric_names(Feature::kMsSsim, {.parts = true});
  ASSERT_EQ(names.size(), 16U);
  EXPECT_EQ(names[0], "float_ms_ssim");
  EXPECT_EQ(names[1], "float_ms_ssim_l_scale0");
  EXPECT_EQ(names[5], "float_ms_ssim_l_scale4");
  EXPECT_EQ(names[6], "float_ms_ssim_c_scale0");
  EXPECT_EQ(names[15], "float_ms_ssim_s_scale4");
}

TEST(SsimPlan, ShrinksToSome256Lines) {
  const auto factor = [](int width, int height) { return make_plan(Feature::kSsim, {}, videos(width, height)).factor; };
  EXPECT_EQ(factor(128, 96), 1);
  EXPECT_EQ(factor(640, 383), 1);
  EXPECT_EQ(factor(640, 384), 2);
  EXPECT_EQ(factor(1080, 1920), 4);
  EXPECT_EQ(factor(3840, 2160), 8);
  EXPECT_EQ(factor(7680, 4320), 17);
  EXPECT_EQ(make_plan(Feature::kSsim, {.scale = 3}, videos(1920, 1080)).factor, 3);
  EXPECT_THAT(make_plan(Feature::kSsim, {.scale = 4}, videos(417, 235)).sizes, ElementsAre(PlaneSize{105, 59}));
}

TEST(SsimPlan, HalvesFourTimes) {
  EXPECT_THAT(make_plan(Feature::kMsSsim, {}, videos(417, 176)).sizes,
              ElementsAre(PlaneSize{417, 176}, PlaneSize{209, 88}, PlaneSize{105, 44}, PlaneSize{53, 22}, PlaneSize{27, 11}));
}

std::string refusal(Feature feature, const SsimOptions& options, const InputFormats& formats) {
  try {
    make_plan(feature, options, formats);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
    return error.what();
  }
  return "";
}

TEST(SsimPlan, RefusesPicturesThatTheWindowDoesNotFit) {
  EXPECT_EQ(refusal(Feature::kSsim, {}, videos(11, 11)), "");
  EXPECT_EQ(refusal(Feature::kSsim, {}, videos(20, 10)),
            "show.mkv is 20x10; float_ssim needs sides of at least 11 samples.");
  EXPECT_EQ(refusal(Feature::kSsim, {.scale = 10}, videos(200, 110)), "");
  EXPECT_EQ(refusal(Feature::kSsim, {.scale = 10}, videos(200, 108)),
            "show.mkv is 200x108 and 20x10 at scale=10; float_ssim needs sides of at least 11 samples.");
  EXPECT_EQ(refusal(Feature::kMsSsim, {}, videos(176, 176)), "");
  EXPECT_EQ(refusal(Feature::kMsSsim, {}, videos(175, 400)),
            "show.mkv is 175x400; float_ms_ssim needs sides of at least 176 samples.");
  InputFormats two = videos(200, 200);
  two.reference->height = 202;
  EXPECT_EQ(refusal(Feature::kMsSsim, {}, two),
            "show.mkv is 200x200 and show.mkv is 200x202; float_ms_ssim needs videos of one size.");
}

// The values of sums whose means are these.
std::vector<double> ssim_values(const Similarity& means, const SsimOptions& options, int bit_depth = 8) {
  const SsimPlan plan = make_plan(Feature::kSsim, options, videos(640, 360, bit_depth));
  const auto count = static_cast<double>(positions({640, 360}));
  const Similarity sums = {means.luminance * count, means.contrast * count, means.structure * count, means.product * count};
  return frame_values(plan, {&sums, 1});
}

TEST(SsimValues, AreMeansAsFloats) {
  EXPECT_THAT(ssim_values({0.5, 0.25, 0.1, 0.75}, {}), ElementsAre(0.75));
  EXPECT_THAT(ssim_values({0.5, 0.25, 0.1, 0.75}, {.parts = true}), ElementsAre(0.75, 0.5, 0.25, double{0.1F}));
}

// Frame 0 of sky_640x360_8b by the reference implementation.
TEST(SsimValues, MayBeInDecibels) {
  EXPECT_THAT(ssim_values({.product = 0.9957285523414612}, {.db = true}), ElementsAre(DoubleEq(23.694249110257154)));
  EXPECT_THAT(ssim_values({.product = 0.9957285523414612}, {.db = true, .clip_db = true}),
              ElementsAre(DoubleEq(23.694249110257154)));
  EXPECT_THAT(ssim_values({.product = 1}, {.db = true}), ElementsAre(kInfinity));
  EXPECT_THAT(ssim_values({.product = 1}, {.db = true, .clip_db = true}), ElementsAre(105));
  EXPECT_THAT(ssim_values({.product = 1}, {.db = true, .clip_db = true}, 10), ElementsAre(117));
  EXPECT_THAT(ssim_values({.product = 1}, {.clip_db = true}), ElementsAre(1));
  EXPECT_THAT(ssim_values({0.5, 0.25, 0.75, 0.75}, {.parts = true, .db = true}),
              ElementsAre(DoubleEq(6.020599913279624), 0.5, 0.25, 0.75));
}

// Rounding may leave a mean just above 1.
TEST(SsimValues, AboveOneHaveTheDecibelsOfOne) {
  EXPECT_THAT(ssim_values({.product = 1.0000001192092896}, {}), ElementsAre(1.0000001192092896));
  EXPECT_THAT(ssim_values({.product = 1.0000001192092896}, {.db = true}), ElementsAre(kInfinity));
  EXPECT_THAT(ssim_values({.product = 1.0000001192092896}, {.db = true, .clip_db = true}), ElementsAre(105));
}

// Means of all scales are 1 but for these of one.
std::vector<double> ms_ssim_values(size_t scale, const Similarity& means, const SsimOptions& options = {}) {
  const SsimPlan plan = make_plan(Feature::kMsSsim, options, videos(320, 240));
  std::vector<Similarity> sums;
  for (size_t k = 0; k < plan.sizes.size(); ++k) {
    const auto count = static_cast<double>(positions(plan.sizes[k]));
    const Similarity one = k == scale ? means : Similarity{1, 1, 1, 1};
    sums.push_back({one.luminance * count, one.contrast * count, one.structure * count, 0});
  }
  return frame_values(plan, sums);
}

TEST(MsSsimValues, AreProductsOfPowers) {
  EXPECT_THAT(ms_ssim_values(0, {1, 1, 1, 0}), ElementsAre(1));
  EXPECT_THAT(ms_ssim_values(0, {1, 0.5, 1, 0}), ElementsAre(DoubleEq(std::pow(0.5, double{0.0448F}))));
  EXPECT_THAT(ms_ssim_values(2, {1, 0.5, 0.25, 0}), ElementsAre(DoubleEq(std::pow(0.125, double{0.3001F}))));
  EXPECT_THAT(ms_ssim_values(4, {0.5, 0.5, 0.5, 0}), ElementsAre(DoubleEq(std::pow(0.125, double{0.1333F}))));
  // Luminance counts at the last scale alone.
  EXPECT_THAT(ms_ssim_values(3, {0.25, 1, 1, 0}), ElementsAre(1));
}

TEST(MsSsimValues, OfANegativeMeanAreNoNumbers) {
  EXPECT_TRUE(std::isnan(ms_ssim_values(1, {1, 1, -0.1, 0}).front()));
}

TEST(MsSsimValues, ListPartsByScales) {
  const std::vector<double> values = ms_ssim_values(2, {0.5, 0.25, 0.75, 0}, {.parts = true});
  EXPECT_THAT(std::vector<double>(values.begin() + 1, values.end()),
              ElementsAre(1, 1, 0.5, 1, 1, 1, 1, 0.25, 1, 1, 1, 1, 0.75, 1, 1));
}

}  // namespace
}  // namespace vq::ssim
