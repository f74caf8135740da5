// Every golden case of PSNR on the CPU.
#include "tests/psnr/golden_cases.h"

namespace vq::psnr::test {
namespace {

class PsnrGolden : public ::testing::TestWithParam<size_t> {};

TEST_P(PsnrGolden, EqualsTheReference) {
  for (const char* backend : {"cpu", "scalar"}) expect_golden(psnr_cases().at(GetParam()), {backend});
}

INSTANTIATE_TEST_SUITE_P(AllCases, PsnrGolden, ::testing::Range(size_t{0}, psnr_cases().size()), case_name);

TEST(PsnrGoldenFile, HasAllItsCases) {
  EXPECT_EQ(psnr_cases().size(), 66U);
}

}  // namespace
}  // namespace vq::psnr::test
