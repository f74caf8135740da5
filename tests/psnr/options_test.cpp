#include "feature/psnr/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "feature/psnr/feature.h"

namespace vq::psnr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PsnrOptions, HaveTheDefaultsOfTheReferenceImplementation) {
  const PsnrOptions options = to_options(OptionSet(option_specs()));
  EXPECT_TRUE(options.chroma);
  EXPECT_FALSE(options.mse);
  EXPECT_FALSE(options.apsnr);
  EXPECT_FALSE(options.reduced_hbd_peak);
  EXPECT_EQ(options.min_sse, 0);
}

TEST(PsnrOptions, AreReadEachByItsName) {
  OptionSet set(option_specs());
  set.set("enable_chroma", "false");
  EXPECT_FALSE(to_options(set).chroma);
  set.set("enable_mse", "true");
  EXPECT_TRUE(to_options(set).mse);
  EXPECT_FALSE(to_options(set).apsnr);
  set.set("enable_apsnr", "true");
  EXPECT_TRUE(to_options(set).apsnr);
  EXPECT_FALSE(to_options(set).reduced_hbd_peak);
  set.set("reduced_hbd_peak", "true");
  EXPECT_TRUE(to_options(set).reduced_hbd_peak);
  set.set("min_sse", "0.5");
  EXPECT_EQ(to_options(set).min_sse, 0.5);
}

TEST(PsnrOptions, TakeAnySumOfErrorsThatIsNotNegative) {
  OptionSet set(option_specs());
  set.set("min_sse", "1.7976931348623157e308");
  EXPECT_EQ(to_options(set).min_sse, std::numeric_limits<double>::max());
  for (const char* const text : {"-1", "-0.001", "inf", "nan", "1e999", "1 "}) {
    EXPECT_THROW(set.set("min_sse", text), Error) << text;
  }
}

TEST(PsnrOptions, EnterNoMetricName) {
  OptionSet set(option_specs());
  for (const char* const name : {"enable_mse", "enable_apsnr", "reduced_hbd_peak"}) set.set(name, "true");
  set.set("enable_chroma", "false");
  set.set("min_sse", "0.5");
  EXPECT_EQ(set.metric_name("psnr_y"), "psnr_y");
}

TEST(PsnrOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(metric_names({}, 3), ElementsAre("psnr_y", "psnr_cb", "psnr_cr"));
  EXPECT_THAT(metric_names({.mse = true}, 3),
              ElementsAre("psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"));
  EXPECT_THAT(metric_names({.chroma = false, .mse = true}, 3), ElementsAre("psnr_y", "mse_y"));
  EXPECT_THAT(metric_names({}, 1), ElementsAre("psnr_y"));  // 4:0:0
}

TEST(PsnrOptions, AggregatesAreAllOrNone) {
  EXPECT_THAT(aggregate_names({}), IsEmpty());
  EXPECT_THAT(aggregate_names({.chroma = false, .apsnr = true}),
              ElementsAre("apsnr_y", "apsnr_cb", "apsnr_cr"));
}

// Also where the chroma was asked for.
TEST(PsnrOptions, VideoWithoutChromaIsComparedByItsLuma) {
  OptionSet set(option_specs());
  set.set("enable_chroma", "true");
  VideoFormat grey;
  grey.chroma = Chroma::k400;
  EXPECT_THAT(feature_info().resolve(set, {grey, grey}, AskedBy::kUser).notes, ElementsAre(::testing::HasSubstr("luma alone")));
  EXPECT_FALSE(set.get_bool("enable_chroma"));
}

}  // namespace
}  // namespace vq::psnr
