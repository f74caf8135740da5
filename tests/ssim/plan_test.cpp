#include "feature/ssim/ssim.h"

#include "tests/support/option_rows.h"

namespace vq::ssim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

VideoFormats videos(int width, int height, int bit_depth = 8) {
  const VideoFormat format{.name = "show.mkv", .width = width, .height = height, .bit_depth = bit_depth};
  return {format, format};
}

using Row = vq::test::OptionRow<SsimOptions>;

TEST(SsimOptions, AreThoseOfTheReferenceImplementation) {
  std::vector<Row> rows = {Row{"enable_lcs", &SsimOptions::parts, false, "true", true},
                           Row{"enable_db", &SsimOptions::db, false, "true", true},
                           Row{"clip_db", &SsimOptions::clip_db, false, "true", true}};
  vq::test::check_options(MsSsim::kOptions, rows, {"scale"});
  rows.push_back(Row{"scale", &SsimOptions::scale, 0, "10", 10, {"11", "-1"}});
  vq::test::check_options(Ssim::kOptions, rows);
  const OptionSet set =
      vq::test::set_of(Ssim::kOptions.specs(),
                       {{"enable_lcs", "true"}, {"enable_db", "true"}, {"clip_db", "true"}, {"scale", "10"}});
  EXPECT_EQ(set.metric_name("float_ssim"), "float_ssim");
}

TEST(SsimOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(Ssim::names({}), ElementsAre("float_ssim"));
  EXPECT_THAT(Ssim::names({.parts = true}),
              ElementsAre("float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"));
  const std::vector<std::string> names = MsSsim::names({.parts = true});
  ASSERT_EQ(names.size(), 16U);
  EXPECT_EQ(names[0], "float_ms_ssim");
  EXPECT_EQ(names[1], "float_ms_ssim_l_scale0");
  EXPECT_EQ(names[5], "float_ms_ssim_l_scale4");
  EXPECT_EQ(names[6], "float_ms_ssim_c_scale0");
  EXPECT_EQ(names[15], "float_ms_ssim_s_scale4");
}

TEST(SsimPlan, ShrinksToSome256Lines) {
  const auto factor = [](int width, int height) {
    return make_plan(Feature::kSsim, {}, videos(width, height)).factor;
  };
  EXPECT_EQ(factor(128, 96), 1);
  EXPECT_EQ(factor(640, 383), 1);
  EXPECT_EQ(factor(640, 384), 2);
  EXPECT_EQ(factor(1080, 1920), 4);
  EXPECT_EQ(factor(3840, 2160), 8);
  EXPECT_EQ(factor(7680, 4320), 17);
  EXPECT_EQ(make_plan(Feature::kSsim, {.scale = 3}, videos(1920, 1080)).factor, 3);
  EXPECT_THAT(make_plan(Feature::kSsim, {.scale = 4}, videos(417, 235)).sizes,
              ElementsAre(PlaneSize{105, 59}));
}

TEST(SsimPlan, HalvesFourTimes) {
  EXPECT_THAT(make_plan(Feature::kMsSsim, {}, videos(417, 176)).sizes,
              ElementsAre(PlaneSize{417, 176}, PlaneSize{209, 88}, PlaneSize{105, 44}, PlaneSize{53, 22},
                          PlaneSize{27, 11}));
}

TEST(SsimPlan, RefusesPicturesThatTheWindowDoesNotFit) {
  const auto refuses = [](Feature feature, const SsimOptions& options, const VideoFormats& formats,
                          std::initializer_list<std::string_view> parts) {
    vq::test::expect_error(ErrorKind::kMismatch, parts, [&] { make_plan(feature, options, formats); });
  };
  EXPECT_NO_THROW(make_plan(Feature::kSsim, {}, videos(11, 11)));
  refuses(Feature::kSsim, {}, videos(20, 10), {"show.mkv is 20x10;", "float_ssim", "11"});
  EXPECT_NO_THROW(make_plan(Feature::kSsim, {.scale = 10}, videos(200, 110)));
  refuses(Feature::kSsim, {.scale = 10}, videos(200, 108),
          {"show.mkv", "200x108", "20x10", "scale=10", "float_ssim", "11"});
  EXPECT_NO_THROW(make_plan(Feature::kMsSsim, {}, videos(176, 176)));
  refuses(Feature::kMsSsim, {}, videos(175, 400), {"show.mkv", "175x400", "float_ms_ssim", "176"});
  VideoFormats two = videos(200, 200);
  two.reference->height = 202;
  refuses(Feature::kMsSsim, {}, two, {"200x200", "200x202", "float_ms_ssim"});
}

// The values of sums whose means are these.
std::vector<double> ssim_values(const Similarity& means, const SsimOptions& options, int bit_depth = 8) {
  const SsimPlan plan = make_plan(Feature::kSsim, options, videos(640, 360, bit_depth));
  const auto count = static_cast<double>(positions({640, 360}));
  const Similarity sums = {means.luminance * count, means.contrast * count, means.structure * count,
                           means.product * count};
  return frame_values(plan, {&sums, 1});
}

TEST(SsimValues, AreMeansAsFloats) {
  EXPECT_THAT(ssim_values({0.5, 0.25, 0.1, 0.75}, {}), ElementsAre(0.75));
  EXPECT_THAT(ssim_values({0.5, 0.25, 0.1, 0.75}, {.parts = true}),
              ElementsAre(0.75, 0.5, 0.25, double{0.1F}));
}

// Frame 0 of sky_640x360_8b by the reference implementation.
TEST(SsimValues, MayBeInDecibels) {
  EXPECT_THAT(ssim_values({.product = 0.9957285523414612}, {.db = true}),
              ElementsAre(DoubleEq(23.694249110257154)));
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

// Means between which all is settled, but for one part of one scale.
bool is_settled(size_t scale, const Similarity& low, const Similarity& high,
                const SsimOptions& options = {}) {
  const SsimPlan plan = make_plan(Feature::kMsSsim, options, videos(320, 240));
  std::vector<Similarity> least, most;
  for (size_t k = 0; k < plan.sizes.size(); ++k) {
    const auto count = static_cast<double>(positions(plan.sizes[k]));
    const auto sums_of = [&](const Similarity& means) {
      return Similarity{means.luminance * count, means.contrast * count, means.structure * count, 0};
    };
    least.push_back(sums_of(k == scale ? low : Similarity{1, 1, 1, 0}));
    most.push_back(sums_of(k == scale ? high : Similarity{1, 1, 1, 0}));
  }
  return settle_values(plan, least, most);
}

// Floats below 1 are 2^-24 apart.
TEST(MsSsimValues, AreSettledWhereBothEndsAreOneFloat) {
  constexpr double kOne = 1 - 0x1p-10, kNear = kOne + 0x1p-27, kBeyond = kOne + 0x1p-24;
  for (size_t scale = 0; scale < kScales; ++scale) {
    EXPECT_TRUE(is_settled(scale, {kOne, kOne, kOne, 0}, {kNear, kNear, kNear, 0}));
    EXPECT_FALSE(is_settled(scale, {kOne, kOne, kOne, 0}, {kOne, kBeyond, kOne, 0}));
    EXPECT_FALSE(is_settled(scale, {kOne, kOne, kOne, 0}, {kOne, kOne, kBeyond, 0}));
  }
}

TEST(MsSsimValues, NeedLuminanceOfTheLastScaleUnlessPartsAreReported) {
  const Similarity low = {0.25, 1, 1, 0}, high = {0.5, 1, 1, 0};
  EXPECT_TRUE(is_settled(0, low, high));
  EXPECT_FALSE(is_settled(0, low, high, {.parts = true}));
  EXPECT_FALSE(is_settled(kScales - 1, low, high));
}

}  // namespace
}  // namespace vq::ssim
