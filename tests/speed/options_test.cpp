#include "feature/speed/speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/option_rows.h"

namespace vq::speed {
namespace {

using ::testing::ElementsAre;

using Row = vq::test::OptionRow<SpeedOptions>;

TEST(SpeedOptions, AreThoseOfTheReferenceImplementation) {
  std::vector<Row> rows = {
      Row{"speed_kernelscale", &SpeedOptions::kernel_scale, 1, "2.4", 2.4, {"0.05", "4.1"}},
      Row{"speed_prescale", &SpeedOptions::prescale, 1, "0.5", 0.5, {"0.09", "4.01"}},
      Row{"speed_prescale_method",
          &SpeedOptions::method,
          Method::kNearest,
          "bilinear",
          Method::kBilinear,
          {"lanczos"}},
      Row{"speed_sigma_nn", &SpeedOptions::sigma_nn, 0.29, "0.19", 0.19, {"0.09", "2.1"}},
      Row{"speed_nn_floor", &SpeedOptions::nn_floor, 0, "0.1", 0.1, {"1.1", "-0.1"}},
      Row{"speed_weight_var_mode", &SpeedOptions::weight_mode, 0, "5", 5, {"7", "-1"}},
      Row{"speed_max_val", &SpeedOptions::max_value, 1000, "45", 45, {"1001"}}};
  vq::test::check_options(chroma_option_specs(), to_chroma_options, rows, {"speed_use_ref_diff", "ks"});
  std::erase_if(rows, [](const Row& row) { return row.name == "speed_weight_var_mode"; });
  rows.push_back(Row{"speed_use_ref_diff", &SpeedOptions::reference_difference, false, "true", true});
  vq::test::check_options(temporal_option_specs(), to_temporal_options, rows,
                          {"speed_weight_var_mode", "ks"});
  EXPECT_EQ(to_temporal_options(OptionSet(temporal_option_specs())).weight_mode, 0);
}

TEST(SpeedOptions, MethodsAreReadByTheirNames) {
  for (const auto& [text, method] : {std::pair{"bilinear", Method::kBilinear},
                                     {"nearest", Method::kNearest},
                                     {"bicubic", Method::kBicubic},
                                     {"lanczos4", Method::kLanczos4}}) {
    const OptionSet set = vq::test::set_of(chroma_option_specs(), {{"speed_prescale_method", text}});
    EXPECT_EQ(to_chroma_options(set).method, method);
  }
}

TEST(SpeedOptions, EnterMetricNamesByTheirAliasesSortedByTheirNames) {
  EXPECT_THAT(chroma_metric_names(OptionSet(chroma_option_specs())),
              ElementsAre("speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"));
  const OptionSet set = vq::test::set_of(chroma_option_specs(), {{"speed_weight_var_mode", "5"},
                                                                 {"speed_sigma_nn", "0.19"},
                                                                 {"speed_prescale_method", "bilinear"},
                                                                 {"speed_prescale", "0.6"},
                                                                 {"speed_nn_floor", "0.1"},
                                                                 {"speed_max_val", "45"},
                                                                 {"speed_kernelscale", "1"}});
  EXPECT_EQ(chroma_metric_names(set)[2], "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.6_psm_bilinear_snn_0.19_wvm_5");
  EXPECT_THAT(temporal_metric_names(vq::test::set_of(
                  temporal_option_specs(), {{"speed_max_val", "1"}, {"speed_use_ref_diff", "true"}})),
              ElementsAre("speed_temporal_mxv_1_urd"));
}

}  // namespace
}  // namespace vq::speed
