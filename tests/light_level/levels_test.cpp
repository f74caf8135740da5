#include <gmock/gmock.h>

#include "feature/light_level/light_level.h"
#include "tests/support/implementations.h"
#include "tests/support/stage_test.h"

namespace vq::light_level {
namespace {

using namespace vq::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
TEST(Amounts, AreCountedInBinsOfNineBits) {
  for (const auto& [amount, bin, least] : {std::tuple{0U, 0U, 0U},
                                           {511, 511, 511},
                                           {512, 512, 512},
                                           {513, 512, 512},
                                           {1023, 767, 1022},
                                           {1024, 768, 1024},
                                           {light::kMostAmount, 4351, 511U << 15}}) {
    EXPECT_EQ(light::amount_bin(amount), bin);
    EXPECT_EQ(light::least_amount(bin), least);
  }
  light::Amounts amounts;
  amounts.add(std::vector<uint32_t>{5, 2049, 1024, 1025});
  EXPECT_EQ(amounts.most, 2049U);
  EXPECT_EQ(amounts.above_unit, 2U);
  EXPECT_DOUBLE_EQ(amounts.mean(), (5 + 2049 + 1024 + 1025) / 4.0 / 1024);
  // Up to the second, the third and the fourth of four; the bin of 1024 has 1025 as well.
  for (const auto& [share, percentile] : {std::pair{2500U, 5.0 / 1024}, {2501, 1}, {7500, 1}, {7501, 2}})
    EXPECT_DOUBLE_EQ(amounts.percentile(share), percentile) << share;
}

TEST(LightLevels, AreThoseOfTheBrightestColourOnEveryInstructionSet) {
  const auto all = all_implementations(&scalar::levels, simd::levels_for);
  std::minstd_rand random(1);
  const auto light = [&](int x, int y) {
    return x == 0   ? -1.0F
           : x == 1 ? 1e9F
                    : static_cast<float>(random() % 100000) / 1000 - static_cast<float>(y);
  };
  for (int width = 1; width <= 70; ++width) {
    const auto rows = drawn<float>(width, 3, light);
    const PlaneView<const float> view = rows.view();
    expect_same_of_all(all, "width " + std::to_string(width), [&](const auto& one) {
      Canvas<uint32_t> out(width, 1);
      one.stages({view.row(0), view.row(1), view.row(2)}, 102400, width, out.view().row(0));
      EXPECT_TRUE(out.intact());
      EXPECT_EQ(out.view().row(0)[0], 0U);
      EXPECT_EQ(out.view().row(0)[width > 1 ? 1 : 0], width > 1 ? light::kMostAmount : 0);
      return std::vector<uint32_t>(out.view().row(0), out.view().row(0) + width);
    });
  }
}

TEST(LightLevels, AreComparedWithWhatTheFileStores) {
  const auto remarks = [](double most, double maxcll, double maxfall, const StoredLight& stored) {
    const std::vector<std::pair<std::string, double>> figures = {
        {"maxcll", maxcll}, {"maxfall", maxfall}, {"light_p99_99", most}};
    return remarks_on(figures, stored, light::Curve::kPq);
  };
  const StoredLight stored = {.maxcll = 1000, .maxfall = 100, .mastering_peak = 1000};
  // Chroma makes edges brighter: that alone is no difference.
  EXPECT_THAT(remarks(1021, 3000, 103, stored), ElementsAre());
  EXPECT_THAT(remarks(1022, 3000, 100, stored), ElementsAre(HasSubstr("too low")));
  EXPECT_THAT(remarks(400, 499, 100, stored), ElementsAre(HasSubstr("too high")));
  EXPECT_THAT(remarks(900, 900, 103.1, stored), ElementsAre(HasSubstr("MaxFALL")));
  EXPECT_THAT(remarks(900, 900, 97, stored), ElementsAre(HasSubstr("MaxFALL")));
  EXPECT_THAT(remarks(900, 900, 100, {.maxcll = 1000, .maxfall = 100, .mastering_peak = 600}),
              ElementsAre(HasSubstr("mastering")));
  EXPECT_THAT(remarks(900, 900, 100, {.maxcll = 0, .maxfall = 0}),
              ElementsAre(HasSubstr("MaxCLL is unknown"), HasSubstr("MaxFALL is unknown")));
  EXPECT_THAT(remarks(900, 900, 100, {}), ElementsAre(HasSubstr("no MaxCLL")));
  EXPECT_THAT(remarks_on({}, stored, light::Curve::kHlg), ElementsAre(HasSubstr("hlg")));
  EXPECT_THAT(remarks_on({}, {}, light::Curve::kBt1886), ElementsAre());
}

}  // namespace
}  // namespace vq::light_level
