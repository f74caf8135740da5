#include "feature/vif/vif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/option_rows.h"

namespace vq::vif {
namespace {

using ::testing::ElementsAre;

using Row = vq::test::OptionRow<VifOptions>;

TEST(VifOptions, AreThoseOfTheReferenceImplementation) {
  vq::test::check_options<VifOptions>(
      Vif::kOptions,
      {Row{"vif_enhn_gain_limit",
           &VifOptions::gain_limit,
           100,
           "1.05",
           1.05,
           {"0.99", "100.1", "nan", "inf", "1.0abc", "", "-1"}},
       Row{"vif_skip_scale0", &VifOptions::skip_scale0, false, "true", true, {"yes"}},
       Row{"debug", &VifOptions::debug, false, "true", true, {"True"}}},
      {"egl", "vif_kernelscale", "vif_prescale"});
}

TEST(VifOptions, MetricsCarryThoseThatDiffer) {
  EXPECT_THAT(
      feature_info().metric_names(OptionSet(Vif::kOptions.specs())),
      ElementsAre("integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2", "integer_vif_scale3"));
  const OptionSet set =
      vq::test::set_of(Vif::kOptions.specs(), {{"vif_enhn_gain_limit", "1.05"}, {"vif_skip_scale0", "true"}});
  EXPECT_THAT(feature_info().metric_names(set),
              ElementsAre("integer_vif_scale0_egl_1.05_ssclz", "integer_vif_scale1_egl_1.05_ssclz",
                          "integer_vif_scale2_egl_1.05_ssclz", "integer_vif_scale3_egl_1.05_ssclz"));
}

TEST(VifOptions, DebugAddsElevenMetrics) {
  EXPECT_THAT(feature_info().metric_names(vq::test::set_of(Vif::kOptions.specs(), {{"debug", "true"}})),
              ElementsAre("integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2",
                          "integer_vif_scale3", "integer_vif", "integer_vif_num", "integer_vif_den",
                          "integer_vif_num_scale0", "integer_vif_den_scale0", "integer_vif_num_scale1",
                          "integer_vif_den_scale1", "integer_vif_num_scale2", "integer_vif_den_scale2",
                          "integer_vif_num_scale3", "integer_vif_den_scale3"));
}

}  // namespace
}  // namespace vq::vif
