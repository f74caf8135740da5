// Options, what wraps or has no number, and what is refused.
#include "feature/adm/adm.h"

#include "tests/support/option_rows.h"

namespace vq::adm {
namespace {

OptionSet set_of(const std::vector<std::pair<std::string, std::string>>& values) {
  return vq::test::set_of(Adm::kOptions.specs(), values);
}

TEST(AdmOptions, AreThoseOfTheReferenceImplementation) {
  using Row = std::tuple<std::string_view, double, double, double>;  // default, least, most
  std::vector<Row> found;
  for (const OptionSpec& spec : Adm::kOptions.specs())
    found.emplace_back(spec.name, spec.default_number, spec.min, spec.max);
  EXPECT_THAT(found,
              ElementsAre(Row{"debug", 0, 0, 0}, Row{"adm_csf_scale", 1, 0, 50},
                          Row{"adm_csf_diag_scale", 1, 0, 50}, Row{"adm_dlm_weight", 0.5, 0, 1},
                          Row{"adm_enhn_gain_limit", 100, 1, 100}, Row{"adm_norm_view_dist", 3, 0.75, 24},
                          Row{"adm_ref_display_height", 1080, 1, 4320}, Row{"adm_csf_mode", 0, 0, 3},
                          Row{"adm_noise_weight", 0.03125, 0, 1500}, Row{"adm_skip_aim", 0, 0, 0},
                          Row{"adm_skip_scale0", 0, 0, 0}, Row{"adm_min_val", 0, 0, 1}));
}

TEST(AdmOptions, EveryMetricHasItsDescription) {
  const std::vector<std::string> names = feature_info().metric_names(set_of({{"debug", "true"}}));
  ASSERT_EQ(names.size(), feature_info().metrics.size());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(feature_info().metrics[i].name, names[i]);
}

std::vector<std::string> advice(const OptionSet& set) {
  const VideoFormat video = {.name = "a", .width = 64, .height = 64};
  return feature_info().advice(set, {video, video});
}

TEST(AdmOptions, ThatCannotHaveAnEffectAreTold) {
  EXPECT_THAT(advice(set_of({})), IsEmpty());
  EXPECT_THAT(advice(set_of({{"adm_csf_scale", "0.5"}})),
              ElementsAre("adm_csf_scale has no effect: it counts only with adm_csf_mode=1"));
  EXPECT_THAT(advice(set_of({{"adm_csf_diag_scale", "2"}, {"adm_csf_mode", "2"}})),
              ElementsAre(HasSubstr("adm_csf_diag_scale has no effect")));
}

TEST(AdmOptions, ThatOverflowTheReferenceAreTold) {
  EXPECT_THAT(advice(set_of({{"adm_csf_mode", "1"}})), ElementsAre(HasSubstr("overflows")));
  const std::pair<std::string, std::string> mode = {"adm_csf_mode", "1"}, scale = {"adm_csf_scale", "0.01"};
  EXPECT_THAT(advice(set_of({mode, scale, {"adm_csf_diag_scale", "0.005"}})), IsEmpty());
  EXPECT_THAT(advice(set_of({mode, scale, {"adm_csf_diag_scale", "0.007"}})),
              ElementsAre(HasSubstr("overflows")));
}

VideoFormat video_of(int width, int height, int depth = 8, const std::string& name = "a.mkv") {
  return {.name = name, .width = width, .height = height, .bit_depth = depth};
}

void refuses(ErrorKind kind, std::initializer_list<std::string_view> parts, const AdmOptions& options,
             const VideoFormats& formats) {
  vq::test::expect_error(kind, parts, [&] { make_plan(options, formats); });
}

// The defaults have numbers of their own, where the formula gives 36451 and 49414.
TEST(AdmSensitivity, FactorsAreTruncatedAndWrap) {
  EXPECT_THAT(sensitivity_factors({}, 0), ElementsAre(36453, 36453, 49417));
  EXPECT_THAT(sensitivity_factors({.view_distance = 1.5, .display_height = 2160}, 0),
              ElementsAre(36453, 36453, 49417));
  EXPECT_THAT(sensitivity_factors({.csf_mode = CsfMode::kBlend}, 0), ElementsAre(24809, 24809, 36087));
  EXPECT_THAT(sensitivity_factors({.csf_mode = CsfMode::kBlend}, 1),
              ElementsAre(107485848, 107485848, 50586124));
  const AdmOptions barten = {.csf_mode = CsfMode::kBarten};
  const double whole = double{sensitivities(barten, 0)[0]} * (1 << 21);
  ASSERT_GT(whole, 65536);
  EXPECT_EQ(sensitivity_factors(barten, 0)[0], static_cast<uint32_t>(static_cast<uint64_t>(whole) % 65536));
}

TEST(AdmPlan, NeedsSidesForWhichThereAreFigures) {
  EXPECT_NO_THROW(make_plan({}, {video_of(33, 33), video_of(33, 33)}));
  for (const PlaneSize size : {PlaneSize{32, 33}, PlaneSize{33, 32}, PlaneSize{1, 1}, PlaneSize{16384, 16}}) {
    const VideoFormat video = video_of(size.width, size.height);
    refuses(ErrorKind::kMismatch, {"a.mkv", "33"}, {}, {video, video});
  }
}

TEST(AdmPlan, NeedsAViewingDistanceForWhichThereAreFigures) {
  const VideoFormats formats = {video_of(64, 64), video_of(64, 64)};
  refuses(ErrorKind::kUsage, {"3240"}, {.view_distance = 2.999}, formats);
  refuses(ErrorKind::kUsage, {"3240"}, {.display_height = 1079}, formats);
  EXPECT_NO_THROW(make_plan({.view_distance = 0.75, .display_height = 4320}, formats));
  EXPECT_NO_THROW(make_plan({.view_distance = 4}, formats));
  for (const int mode : {CsfMode::kBlend, CsfMode::kOtherBlend}) {
    refuses(ErrorKind::kUsage, {"2160", "1.5, 3 or 5"}, {.view_distance = 4, .csf_mode = mode}, formats);
    EXPECT_NO_THROW(make_plan({.view_distance = 5, .display_height = 720, .csf_mode = mode}, formats));
  }
}

// What glibc's and musl's powf() return; the last three are not the floats nearest to the true power.
TEST(AdmCubeRoot, IsThatOfTheReferencesLibrary) {
  EXPECT_EQ(cube_root(0), 0);
  EXPECT_EQ(cube_root(1), 1);
  EXPECT_EQ(cube_root(8), 2);
  EXPECT_EQ(cube_root(27), 3);
  EXPECT_EQ(cube_root(64), 4);
  EXPECT_EQ(cube_root(2), 1.25992105F);
  EXPECT_EQ(cube_root(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(cube_root(-1)));
  EXPECT_TRUE(std::isnan(cube_root(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(cube_root(4.56149673F), 1.65845037F);
  EXPECT_EQ(cube_root(61.0544472F), 3.93766832F);
  EXPECT_EQ(cube_root(2181.37354F), 12.9691067F);
}

// From the least float to the largest; the exponent is 1e-8 more than a third.
TEST(AdmCubeRoot, IsOneAtAllSizes) {
  for (double x = std::numeric_limits<float>::denorm_min(); x < 1e38; x *= 1.37) {
    const auto argument = static_cast<float>(x);
    const double root = cube_root(argument);
    EXPECT_NEAR(root * root * root / argument, 1, 4e-6) << argument;
  }
}

AdmPlan plan_of(const AdmOptions& options, int width = 64, int height = 64) {
  const VideoFormat video = {.name = "a", .width = width, .height = height};
  return make_plan(options, {video, video});
}

// Where the finest scale is left out it counts as 1e-10 of detail, which is nothing of a picture larger than
// 1920x1080.
TEST(AdmScore, TooLittleDetailForTheSizeOfThePictureIsNone) {
  const AdmOptions options = {.noise_weight = 0, .skip_scale0 = true};
  EXPECT_EQ(frame_scores(plan_of(options, 1920, 1080), {})[0], 0);
  EXPECT_EQ(frame_scores(plan_of(options, 3840, 2160), {})[0], 1);
}

// A sum that has wrapped has no root.
TEST(AdmScore, OfANegativeSumIsNotANumber) {
  FrameSums sums = {};
  sums[0].restored[1] = -1;
  const std::vector<double> scores = frame_scores(plan_of({}), sums);
  EXPECT_TRUE(std::isnan(scores[0]));
  EXPECT_TRUE(std::isnan(scores[3]));
  EXPECT_EQ(scores[4], 1);
}

}  // namespace
}  // namespace vq::adm
