// Every golden case of histograms on the CPU.
#include "tests/histogram/golden_cases.h"

namespace vq::histogram::test {
namespace {

class HistogramGolden : public ::testing::TestWithParam<size_t> {};

TEST_P(HistogramGolden, EqualsWhatNumpyCounts) {
  for (const char* backend : {"cpu", "scalar"}) expect_golden(golden_cases().at(GetParam()), backend);
}

INSTANTIATE_TEST_SUITE_P(AllCases, HistogramGolden, ::testing::Range(size_t{0}, golden_cases().size()),
                         case_name);

TEST(HistogramGoldenFile, HasAllItsCases) {
  EXPECT_EQ(golden_cases().size(), 25U);
}

}  // namespace
}  // namespace vq::histogram::test
