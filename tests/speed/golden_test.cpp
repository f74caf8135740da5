// The golden cases of SpEED-QA through the command line: names and values of the reference implementation, to
// the last bit.
#include "tests/support/golden_cases.h"

namespace vq::speed::test {
namespace {

using cli::test::expect_golden;
using nlohmann::json;

const json& cases_of(const std::string& feature) {
  static const json kChroma = cli::test::golden_cases("speed.json", "speed_chroma"),
                    kTemporal = cli::test::golden_cases("speed.json", "speed_temporal");
  return feature == "speed_chroma" ? kChroma : kTemporal;
}

struct Chosen {
  std::string feature;
  size_t index;  // among the cases of the feature
};

// One of each kind of picture, method, width of filters, and weight.
const std::vector<Chosen>& chosen() {
  static const std::vector<Chosen> kChosen = [] {
    std::vector<Chosen> all;
    for (const size_t index : {3, 6, 14, 15, 16, 29, 35, 41, 42, 45, 46, 48, 51, 52, 54, 55})
      all.push_back({"speed_chroma", index});
    for (const size_t index : {0, 3, 6}) all.push_back({"speed_temporal", index});
    return all;
  }();
  return kChosen;
}

class SpeedGolden : public ::testing::TestWithParam<size_t> {};

TEST_P(SpeedGolden, EqualsTheReference) {
  const Chosen& one = chosen().at(GetParam());
  for (const cli::test::GoldenWay& way : cli::test::host_ways())
    expect_golden(cases_of(one.feature).at(one.index), way);
}

INSTANTIATE_TEST_SUITE_P(SomeCases, SpeedGolden, ::testing::Range(size_t{0}, chosen().size()),
                         [](const auto& one_of_them) {
                           const Chosen& one = chosen().at(one_of_them.param);
                           return one.feature + "_" +
                                  cli::test::golden_name(cases_of(one.feature), one.index);
                         });

// Has the label every_size: `./check` leaves it out, `./check --all` runs it.
TEST(SpeedGoldenOfEverySize, EqualsTheReference) {
  for (const std::string feature : {"speed_chroma", "speed_temporal"}) {
    cli::test::expect_golden_cases(cases_of(feature), cli::test::host_ways(), cli::test::is_any);
  }
}

TEST(SpeedGoldenFile, HasAllItsCases) {
  EXPECT_EQ(cases_of("speed_chroma").size(), 57U);
  EXPECT_EQ(cases_of("speed_temporal").size(), 7U);
}

}  // namespace
}  // namespace vq::speed::test
