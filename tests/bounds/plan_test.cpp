// Options of the bounds, and what is reported of a frame.
#include "feature/bounds/bounds.h"

#include "tests/support/option_rows.h"

namespace vq::bounds {
namespace {

using Row = vq::test::OptionRow<BoundsOptions>;

// Defaults are those of --crop auto.
TEST(BoundsOptions, AreReadEachByItsName) {
  vq::test::check_options<BoundsOptions>(
      Bounds::kOptions, {Row{"threshold", &BoundsOptions::slack, kLitSlack, "20", 20, {"220", "-1"}},
                         Row{"tolerance", &BoundsOptions::tolerance, 0.01, "0.123456", 0.123456, {"0.51"}}});
}

class BoundsResult : public ::testing::Test {
 protected:
  BoundsResult() {
    video_.width = 40;
    video_.height = 20;
  }
  std::vector<double> values(const ActiveArea& area) const {
    return frame_result(Bounds::make_plan({}, {video_, {}}), area).values;
  }
  VideoFormat video_;
};

TEST_F(BoundsResult, OptionsAreInTheRule) {
  video_.bit_depth = 10;
  const LitRule rule = Bounds::make_plan({.slack = 10, .tolerance = 0.1}, {video_, {}}).rule;
  EXPECT_EQ(rule.black, 26 * 4);
  EXPECT_EQ(rule.row_limit, 4);
  EXPECT_EQ(rule.column_limit, 2);
}

// 0.000249 * 1e6 is a little less than 249.
TEST_F(BoundsResult, TheToleranceIsRoundedToMillionths) {
  video_.width = 1000000;
  EXPECT_EQ(Bounds::make_plan({.tolerance = 0.000249}, {video_, {}}).rule.row_limit, 249);
}

}  // namespace
}  // namespace vq::bounds
