#include "feature/ssim/ssim.h"

#include "tests/support/option_rows.h"

namespace vq::ssim {
namespace {

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

TEST(MsSsimValues, OfANegativeMeanAreNoNumbers) {
  EXPECT_TRUE(std::isnan(ms_ssim_values(1, {1, 1, -0.1, 0}).front()));
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
