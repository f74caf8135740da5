// Every golden case of histograms on the CPU.
#include "tests/histogram/golden_cases.h"

namespace vq::histogram::test {
namespace {

TEST(HistogramGolden, AllCasesEqualWhatNumpyCounts) {
  for (const json& golden : golden_cases()) {
    for (const char* backend : {"cpu", "scalar"}) expect_golden(golden, backend);
  }
}

TEST(HistogramGolden, HasAllItsCases) {
  EXPECT_EQ(golden_cases().size(), 25U);
}

}  // namespace
}  // namespace vq::histogram::test
