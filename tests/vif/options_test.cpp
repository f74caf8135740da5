#include "feature/vif/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace vq::vif {
namespace {

using ::testing::ElementsAre;

TEST(VifOptions, HaveTheDefaultsOfTheReferenceImplementation) {
  const VifOptions options = to_options(OptionSet(option_specs()));
  EXPECT_EQ(options.gain_limit, 100);
  EXPECT_FALSE(options.skip_scale0);
  EXPECT_FALSE(options.debug);
}

TEST(VifOptions, AreReadEachByItsName) {
  OptionSet set(option_specs());
  set.set("vif_enhn_gain_limit", "1.05");
  EXPECT_EQ(to_options(set).gain_limit, 1.05);
  set.set("vif_skip_scale0", "true");
  EXPECT_TRUE(to_options(set).skip_scale0);
  EXPECT_FALSE(to_options(set).debug);
  set.set("debug", "true");
  EXPECT_TRUE(to_options(set).debug);
}

TEST(VifOptions, TakeNothingElse) {
  OptionSet set(option_specs());
  for (const char* text : {"0.99", "100.1", "nan", "inf", "1.0abc", "", "-1"}) {
    EXPECT_THROW(set.set("vif_enhn_gain_limit", text), Error) << text;
  }
  for (const char* name : {"egl", "vif_kernelscale", "vif_prescale"}) EXPECT_THROW(set.set(name, "1"), Error) << name;
  EXPECT_THROW(set.set("vif_skip_scale0", "yes"), Error);
  EXPECT_THROW(set.set("debug", "True"), Error);
}

TEST(VifOptions, MetricsCarryThoseThatDiffer) {
  OptionSet set(option_specs());
  EXPECT_THAT(metric_names(set),
              ElementsAre("integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2", "integer_vif_scale3"));
  set.set("vif_enhn_gain_limit", "1.05");
  set.set("vif_skip_scale0", "true");
  EXPECT_THAT(metric_names(set), ElementsAre("integer_vif_scale0_egl_1.05_ssclz", "integer_vif_scale1_egl_1.05_ssclz",
                                             "integer_vif_scale2_egl_1.05_ssclz", "integer_vif_scale3_egl_1.05_ssclz"));
}

TEST(VifOptions, DebugAddsElevenMetrics) {
  OptionSet set(option_specs());
  set.set("debug", "true");
  EXPECT_THAT(metric_names(set),
              ElementsAre("integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2", "integer_vif_scale3", "integer_vif",
                          "integer_vif_num", "integer_vif_den", "integer_vif_num_scale0", "integer_vif_den_scale0",
                          "integer_vif_num_scale1", "integer_vif_den_scale1", "integer_vif_num_scale2",
                          "integer_vif_den_scale2", "integer_vif_num_scale3", "integer_vif_den_scale3"));
}

}  // namespace
}  // namespace vq::vif
