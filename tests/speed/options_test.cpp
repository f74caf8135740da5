#include "feature/speed/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace vq::speed {
namespace {

using ::testing::ElementsAre;

TEST(SpeedOptions, HaveTheDefaultsOfTheReferenceImplementation) {
  for (const SpeedOptions& options :
       {to_chroma_options(OptionSet(chroma_option_specs())), to_temporal_options(OptionSet(temporal_option_specs()))}) {
    EXPECT_EQ(options.kernel_scale, 1);
    EXPECT_EQ(options.prescale, 1);
    EXPECT_EQ(options.method, Method::kNearest);
    EXPECT_EQ(options.sigma_nn, 0.29);
    EXPECT_EQ(options.nn_floor, 0);
    EXPECT_EQ(options.weight_mode, 0);
    EXPECT_EQ(options.max_value, 1000);
    EXPECT_FALSE(options.reference_difference);
  }
}

TEST(SpeedOptions, AreReadEachByItsName) {
  OptionSet set(chroma_option_specs());
  set.set("speed_kernelscale", "2.4");
  set.set("speed_prescale", "0.5");
  set.set("speed_sigma_nn", "0.19");
  set.set("speed_nn_floor", "0.1");
  set.set("speed_weight_var_mode", "5");
  set.set("speed_max_val", "45");
  for (const auto& [text, method] : {std::pair{"bilinear", Method::kBilinear}, {"nearest", Method::kNearest},
                                     {"bicubic", Method::kBicubic}, {"lanczos4", Method::kLanczos4}}) {
    OptionSet one(chroma_option_specs());
    one.set("speed_prescale_method", text);
    EXPECT_EQ(to_chroma_options(one).method, method);
  }
  const SpeedOptions options = to_chroma_options(set);
  EXPECT_EQ(options.kernel_scale, 2.4);
  EXPECT_EQ(options.prescale, 0.5);
  EXPECT_EQ(options.sigma_nn, 0.19);
  EXPECT_EQ(options.nn_floor, 0.1);
  EXPECT_EQ(options.weight_mode, 5);
  EXPECT_EQ(options.max_value, 45);

  OptionSet temporal(temporal_option_specs());
  temporal.set("speed_use_ref_diff", "true");
  EXPECT_TRUE(to_temporal_options(temporal).reference_difference);
}

TEST(SpeedOptions, EnterMetricNamesByTheirAliasesSortedByTheirNames) {
  OptionSet set(chroma_option_specs());
  EXPECT_THAT(chroma_metric_names(set), ElementsAre("speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"));
  set.set("speed_weight_var_mode", "5");
  set.set("speed_sigma_nn", "0.19");
  set.set("speed_prescale_method", "bilinear");
  set.set("speed_prescale", "0.6");
  set.set("speed_nn_floor", "0.1");
  set.set("speed_max_val", "45");
  set.set("speed_kernelscale", "1");
  EXPECT_EQ(chroma_metric_names(set)[2], "speed_chroma_uv_mxv_45_nnf_0.1_ps_0.6_psm_bilinear_snn_0.19_wvm_5");
  OptionSet temporal(temporal_option_specs());
  temporal.set("speed_max_val", "1");
  temporal.set("speed_use_ref_diff", "true");
  EXPECT_THAT(temporal_metric_names(temporal), ElementsAre("speed_temporal_mxv_1_urd"));
}

TEST(SpeedOptions, OutOfRangeAreRefused) {
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"speed_kernelscale", "0.05"}, {"speed_kernelscale", "4.1"}, {"speed_prescale", "0.09"}, {"speed_prescale", "4.01"},
           {"speed_sigma_nn", "0.09"},    {"speed_sigma_nn", "2.1"},    {"speed_nn_floor", "1.1"},  {"speed_nn_floor", "-0.1"},
           {"speed_max_val", "1001"},     {"speed_weight_var_mode", "7"}, {"speed_weight_var_mode", "-1"},
           {"speed_prescale_method", "lanczos"}, {"speed_use_ref_diff", "true"}, {"ks", "1"}}) {
    OptionSet set(chroma_option_specs());
    EXPECT_THROW(set.set(name, text), Error) << name << "=" << text;
  }
}

}  // namespace
}  // namespace vq::speed
