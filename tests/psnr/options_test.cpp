#include "feature/psnr/psnr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/option_rows.h"

namespace vq::psnr {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Row = vq::test::OptionRow<PsnrOptions>;

// Any sum of errors that is not negative is taken.
TEST(PsnrOptions, AreThoseOfTheReferenceImplementation) {
  vq::test::check_options<PsnrOptions>(
      Psnr::kOptions,
      {Row{"enable_chroma", &PsnrOptions::chroma, true, "false", false},
       Row{"enable_mse", &PsnrOptions::mse, false, "true", true},
       Row{"enable_apsnr", &PsnrOptions::apsnr, false, "true", true},
       Row{"reduced_hbd_peak", &PsnrOptions::reduced_hbd_peak, false, "true", true},
       Row{"min_sse", &PsnrOptions::min_sse, 0, "0.5", 0.5, {"-1", "-0.001", "inf", "nan", "1e999", "1 "}}});
  EXPECT_EQ(
      Psnr::kOptions.values(vq::test::set_of(Psnr::kOptions.specs(), {{"min_sse", "1.7976931348623157e308"}}))
          .min_sse,
      std::numeric_limits<double>::max());
}

TEST(PsnrOptions, EnterNoMetricName) {
  const OptionSet set = vq::test::set_of(Psnr::kOptions.specs(), {{"enable_mse", "true"},
                                                                  {"enable_apsnr", "true"},
                                                                  {"reduced_hbd_peak", "true"},
                                                                  {"enable_chroma", "false"},
                                                                  {"min_sse", "0.5"}});
  EXPECT_EQ(set.metric_name("psnr_y"), "psnr_y");
}

TEST(PsnrOptions, SayWhatIsReportedAndInWhichOrder) {
  EXPECT_THAT(Psnr::names({}), ElementsAre("psnr_y", "psnr_cb", "psnr_cr"));
  EXPECT_THAT(Psnr::names({.mse = true}),
              ElementsAre("psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"));
  EXPECT_THAT(Psnr::names({.chroma = false, .mse = true}), ElementsAre("psnr_y", "mse_y"));
}

TEST(PsnrOptions, AggregatesAreAllOrNone) {
  EXPECT_THAT(aggregate_names({}), IsEmpty());
  EXPECT_THAT(aggregate_names({.chroma = false, .apsnr = true}),
              ElementsAre("apsnr_y", "apsnr_cb", "apsnr_cr"));
}

// Also where the chroma was asked for.
TEST(PsnrOptions, VideoWithoutChromaIsComparedByItsLuma) {
  OptionSet set(Psnr::kOptions.specs());
  set.set("enable_chroma", "true");
  VideoFormat grey;
  grey.chroma = Chroma::k400;
  EXPECT_THAT(feature_info().resolve(set, {grey, grey}, AskedBy::kUser).notes,
              ElementsAre(::testing::HasSubstr("luma alone")));
  EXPECT_FALSE(set.get_bool("enable_chroma"));
}

}  // namespace
}  // namespace vq::psnr
