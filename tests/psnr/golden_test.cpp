// Every golden case of PSNR on the CPU.
#include "tests/psnr/golden_cases.h"

namespace vq::psnr::test {
namespace {

TEST(PsnrGolden, AllCasesEqualTheReference) {
  cli::test::expect_golden_cases(psnr_cases(), {{"cpu"}, {"scalar"}}, cli::test::is_any);
}

TEST(PsnrGolden, HasAllItsCases) {
  EXPECT_EQ(psnr_cases().size(), 66U);
}

}  // namespace
}  // namespace vq::psnr::test
