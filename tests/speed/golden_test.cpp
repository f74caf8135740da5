// The golden cases of SpEED-QA through the command line: names and values of the reference implementation, to
// the last bit.
#include "tests/support/golden_cases.h"

namespace vq::speed::test {
namespace {

using nlohmann::json;

const json& cases_of(const std::string& feature) {
  static const json kChroma = cli::test::golden_cases("speed.json", "speed_chroma"),
                    kTemporal = cli::test::golden_cases("speed.json", "speed_temporal");
  return feature == "speed_chroma" ? kChroma : kTemporal;
}

// One of each kind of picture, method, width of filters, and weight: numbers among the feature's cases.
constexpr size_t kChosenChroma[] = {3, 6, 14, 15, 16, 29, 35, 41, 42, 45, 46, 48, 51, 52, 54, 55};
constexpr size_t kChosenTemporal[] = {0, 3, 6};

TEST(SpeedGolden, SomeCasesEqualTheReference) {
  cli::test::expect_chosen_cases(cases_of("speed_chroma"), cli::test::host_ways(), kChosenChroma);
  cli::test::expect_chosen_cases(cases_of("speed_temporal"), cli::test::host_ways(), kChosenTemporal);
}

// Has the label every_size: `./check` leaves it out, `./check --all` runs it.
TEST(SpeedGoldenOfEverySize, EqualsTheReference) {
  for (const std::string feature : {"speed_chroma", "speed_temporal"}) {
    cli::test::expect_golden_cases(cases_of(feature), cli::test::host_ways(), cli::test::is_any);
  }
}

TEST(SpeedGolden, HasAllItsCases) {
  EXPECT_EQ(cases_of("speed_chroma").size(), 57U);
  EXPECT_EQ(cases_of("speed_temporal").size(), 7U);
}

}  // namespace
}  // namespace vq::speed::test
