// The golden cases of PSNR-HVS through the command line: names, values and statistics of the reference
// implementation, to the last digit.
#include "tests/support/golden_cases.h"

namespace vq::psnr_hvs::test {
namespace {

using nlohmann::json;

const json& cases() {
  static const json kCases = cli::test::golden_cases("fidelity.json", "psnr_hvs");
  return kCases;
}

// Small ones: of every depth and sampling, of one picture against itself, and of two depths.
constexpr size_t kChosen[] = {3, 8, 12, 13, 14, 19, 22, 23, 24, 27, 30, 31};

TEST(PsnrHvsGolden, SomeCasesEqualTheReference) {
  cli::test::expect_chosen_cases(cases(), cli::test::host_ways(), kChosen);
}

// Has the label every_size: `./check` leaves it out, `./check --all` runs it.
TEST(PsnrHvsGoldenOfEverySize, EqualsTheReference) {
  cli::test::expect_golden_cases(cases(), cli::test::host_ways(), cli::test::is_any);
}

TEST(PsnrHvsGolden, HasAllItsCases) {
  EXPECT_EQ(cases().size(), 32U);
}

}  // namespace
}  // namespace vq::psnr_hvs::test
