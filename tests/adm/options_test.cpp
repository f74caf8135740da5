#include "feature/adm/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "feature/adm/feature.h"

namespace vq::adm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

OptionSet set_of(const std::vector<std::pair<std::string, std::string>>& values) {
  OptionSet set(option_specs());
  for (const auto& [name, text] : values) set.set(name, text);
  return set;
}

TEST(AdmOptions, HaveTheDefaultsOfTheReferenceImplementation) {
  const AdmOptions options = to_options(OptionSet(option_specs()));
  EXPECT_EQ(options.gain_limit, 100);
  EXPECT_EQ(options.view_distance, 3);
  EXPECT_EQ(options.display_height, 1080);
  EXPECT_EQ(options.csf_mode, CsfMode::kWatson);
  EXPECT_EQ(options.csf_scale, 1);
  EXPECT_EQ(options.csf_diagonal_scale, 1);
  EXPECT_EQ(options.noise_weight, 0.03125);
  EXPECT_EQ(options.dlm_weight, 0.5);
  EXPECT_EQ(options.min_val, 0);
  EXPECT_FALSE(options.skip_scale0);
  EXPECT_FALSE(options.skip_aim);
  EXPECT_FALSE(options.debug);
}

TEST(AdmOptions, AreReadEachByItsName) {
  EXPECT_EQ(to_options(set_of({{"adm_enhn_gain_limit", "1.5"}})).gain_limit, 1.5);
  EXPECT_EQ(to_options(set_of({{"adm_norm_view_dist", "5"}})).view_distance, 5);
  EXPECT_EQ(to_options(set_of({{"adm_ref_display_height", "2160"}})).display_height, 2160);
  EXPECT_EQ(to_options(set_of({{"adm_csf_mode", "3"}})).csf_mode, CsfMode::kOtherBlend);
  EXPECT_EQ(to_options(set_of({{"adm_csf_scale", "0.25"}})).csf_scale, 0.25);
  EXPECT_EQ(to_options(set_of({{"adm_csf_diag_scale", "0.75"}})).csf_diagonal_scale, 0.75);
  EXPECT_EQ(to_options(set_of({{"adm_noise_weight", "1500"}})).noise_weight, 1500);
  EXPECT_EQ(to_options(set_of({{"adm_dlm_weight", "0.7"}})).dlm_weight, 0.7);
  EXPECT_EQ(to_options(set_of({{"adm_min_val", "0.5"}})).min_val, 0.5);
  EXPECT_TRUE(to_options(set_of({{"adm_skip_scale0", "true"}})).skip_scale0);
  EXPECT_TRUE(to_options(set_of({{"adm_skip_aim", "true"}})).skip_aim);
  EXPECT_TRUE(to_options(set_of({{"debug", "true"}})).debug);
}

TEST(AdmOptions, HaveTheRangesOfTheReferenceImplementation) {
  struct Case {
    const char *name, *least, *most, *below, *above;
  };
  for (const Case& one : {Case{"adm_enhn_gain_limit", "1", "100", "0.999", "100.001"},
                          Case{"adm_norm_view_dist", "0.75", "24", "0.7499", "24.01"},
                          Case{"adm_ref_display_height", "1", "4320", "0", "4321"},
                          Case{"adm_csf_mode", "0", "3", "-1", "4"},
                          Case{"adm_csf_scale", "0", "50", "-0.1", "50.1"},
                          Case{"adm_csf_diag_scale", "0", "50", "-0.1", "nan"},
                          Case{"adm_noise_weight", "0", "1500", "-1", "1501"},
                          Case{"adm_dlm_weight", "0", "1", "-0.1", "1.1"},
                          Case{"adm_min_val", "0", "1", "-0.1", "1.1"}}) {
    for (const char* const good : {one.least, one.most}) EXPECT_NO_THROW(set_of({{one.name, good}})) << one.name << good;
    for (const char* const bad : {one.below, one.above}) EXPECT_THROW(set_of({{one.name, bad}}), Error) << one.name << bad;
  }
}

TEST(AdmOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(metric_names(set_of({})),
              ElementsAre("integer_adm2", "integer_aim", "integer_adm3", "integer_adm_scale0", "integer_adm_scale1",
                          "integer_adm_scale2", "integer_adm_scale3"));
  const std::vector<std::string> all = metric_names(set_of({{"debug", "true"}}));
  EXPECT_THAT(std::vector<std::string>(all.begin() + 7, all.end()),
              ElementsAre("integer_adm", "integer_adm_num", "integer_adm_den", "integer_adm_num_scale0",
                          "integer_adm_den_scale0", "integer_adm_num_scale1", "integer_adm_den_scale1",
                          "integer_adm_num_scale2", "integer_adm_den_scale2", "integer_adm_num_scale3",
                          "integer_adm_den_scale3"));
}

TEST(AdmOptions, EnterTheNamesByTheirAliases) {
  EXPECT_EQ(metric_names(set_of({{"adm_csf_mode", "2"},
                                 {"adm_dlm_weight", "0.7"},
                                 {"adm_enhn_gain_limit", "1.0"},
                                 {"adm_min_val", "0.5"},
                                 {"adm_noise_weight", "0.02"},
                                 {"adm_norm_view_dist", "1.5"},
                                 {"adm_ref_display_height", "2160"}}))[2],
            "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_1.5_rdh_2160");
  EXPECT_EQ(metric_names(set_of({{"adm_csf_scale", "2"}, {"adm_csf_diag_scale", "0.5"}, {"adm_skip_scale0", "true"}}))[0],
            "integer_adm2_scfd_0.5_scf_2_ssz");
  EXPECT_EQ(metric_names(set_of({{"adm_skip_aim", "true"}, {"debug", "true"}}))[1], "integer_aim");
}

// Each is described, with whatever options, and by no more than its own name.
TEST(AdmOptions, EveryMetricHasItsDescription) {
  const std::vector<std::string> names = metric_names(set_of({{"debug", "true"}}));
  ASSERT_EQ(names.size(), feature_info().metrics.size());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(feature_info().metrics[i].name, names[i]);
}

TEST(AdmOptions, ThatCannotHaveAnEffectAreTold) {
  const VideoFormat video = {.name = "a", .width = 64, .height = 64};
  const auto advice = [&](const OptionSet& set) { return feature_info().advice(set, {video, video}); };
  EXPECT_THAT(advice(set_of({})), IsEmpty());
  EXPECT_THAT(advice(set_of({{"adm_csf_scale", "0.5"}})),
              ElementsAre("adm_csf_scale has no effect: it counts only with adm_csf_mode=1"));
  EXPECT_THAT(advice(set_of({{"adm_csf_diag_scale", "2"}, {"adm_csf_mode", "2"}})),
              ElementsAre(HasSubstr("adm_csf_diag_scale has no effect")));
}

TEST(AdmOptions, ThatOverflowTheReferenceAreTold) {
  const VideoFormat video = {.name = "a", .width = 64, .height = 64};
  const auto advice = [&](const OptionSet& set) { return feature_info().advice(set, {video, video}); };
  EXPECT_THAT(advice(set_of({{"adm_csf_mode", "1"}})), ElementsAre(HasSubstr("overflows")));
  const std::pair<std::string, std::string> mode = {"adm_csf_mode", "1"}, scale = {"adm_csf_scale", "0.01"};
  EXPECT_THAT(advice(set_of({mode, scale, {"adm_csf_diag_scale", "0.005"}})), IsEmpty());
  EXPECT_THAT(advice(set_of({mode, scale, {"adm_csf_diag_scale", "0.007"}})), ElementsAre(HasSubstr("overflows")));
}

}  // namespace
}  // namespace vq::adm
