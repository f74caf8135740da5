#include "feature/adm/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "feature/adm/adm.h"
#include "tests/support/option_rows.h"

namespace vq::adm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Row = vq::test::OptionRow<AdmOptions>;

OptionSet set_of(const std::vector<std::pair<std::string, std::string>>& values) {
  return vq::test::set_of(Adm::kOptions.specs(), values);
}

TEST(AdmOptions, AreThoseOfTheReferenceImplementation) {
  vq::test::check_options<AdmOptions>(
      Adm::kOptions,
      {Row{"adm_enhn_gain_limit",
           &AdmOptions::gain_limit,
           100,
           "1.5",
           1.5,
           {"0.999", "100.001"},
           {"1", "100"}},
       Row{"adm_norm_view_dist", &AdmOptions::view_distance, 3, "5", 5, {"0.7499", "24.01"}, {"0.75", "24"}},
       Row{"adm_ref_display_height",
           &AdmOptions::display_height,
           1080,
           "2160",
           2160,
           {"0", "4321"},
           {"1", "4320"}},
       Row{"adm_csf_mode",
           &AdmOptions::csf_mode,
           CsfMode::kWatson,
           "3",
           CsfMode::kOtherBlend,
           {"-1", "4"},
           {"0"}},
       Row{"adm_csf_scale", &AdmOptions::csf_scale, 1, "0.25", 0.25, {"-0.1", "50.1"}, {"0", "50"}},
       Row{"adm_csf_diag_scale",
           &AdmOptions::csf_diagonal_scale,
           1,
           "0.75",
           0.75,
           {"-0.1", "nan"},
           {"0", "50"}},
       Row{"adm_noise_weight", &AdmOptions::noise_weight, 0.03125, "1500", 1500, {"-1", "1501"}, {"0"}},
       Row{"adm_dlm_weight", &AdmOptions::dlm_weight, 0.5, "0.7", 0.7, {"-0.1", "1.1"}, {"0", "1"}},
       Row{"adm_min_val", &AdmOptions::min_val, 0, "0.5", 0.5, {"-0.1", "1.1"}, {"0", "1"}},
       Row{"adm_skip_scale0", &AdmOptions::skip_scale0, false, "true", true},
       Row{"adm_skip_aim", &AdmOptions::skip_aim, false, "true", true},
       Row{"debug", &AdmOptions::debug, false, "true", true}});
}

TEST(AdmOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(feature_info().metric_names(set_of({})),
              ElementsAre("integer_adm2", "integer_aim", "integer_adm3", "integer_adm_scale0",
                          "integer_adm_scale1", "integer_adm_scale2", "integer_adm_scale3"));
  const std::vector<std::string> all = feature_info().metric_names(set_of({{"debug", "true"}}));
  EXPECT_THAT(std::vector<std::string>(all.begin() + 7, all.end()),
              ElementsAre("integer_adm", "integer_adm_num", "integer_adm_den", "integer_adm_num_scale0",
                          "integer_adm_den_scale0", "integer_adm_num_scale1", "integer_adm_den_scale1",
                          "integer_adm_num_scale2", "integer_adm_den_scale2", "integer_adm_num_scale3",
                          "integer_adm_den_scale3"));
}

TEST(AdmOptions, EnterTheNamesByTheirAliases) {
  EXPECT_EQ(feature_info().metric_names(set_of({{"adm_csf_mode", "2"},
                                                {"adm_dlm_weight", "0.7"},
                                                {"adm_enhn_gain_limit", "1.0"},
                                                {"adm_min_val", "0.5"},
                                                {"adm_noise_weight", "0.02"},
                                                {"adm_norm_view_dist", "1.5"},
                                                {"adm_ref_display_height", "2160"}}))[2],
            "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_1.5_rdh_2160");
  EXPECT_EQ(feature_info().metric_names(set_of(
                {{"adm_csf_scale", "2"}, {"adm_csf_diag_scale", "0.5"}, {"adm_skip_scale0", "true"}}))[0],
            "integer_adm2_scfd_0.5_scf_2_ssz");
  EXPECT_EQ(feature_info().metric_names(set_of({{"adm_skip_aim", "true"}, {"debug", "true"}}))[1],
            "integer_aim");
}

// Each is described, with whatever options, and by no more than its own name.
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

}  // namespace
}  // namespace vq::adm
