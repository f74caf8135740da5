// Every golden case of the bounds on the CPU.
#include <algorithm>

#include "tests/bounds/golden_cases.h"

namespace vq::bounds::test {
namespace {

TEST(BoundsGolden, AllCasesEqualTheIndependentFigures) {
  for (const json& golden : bounds_cases()) {
    for (const char* backend : {"cpu", "scalar"}) expect_golden(golden, backend);
  }
}

TEST(BoundsGolden, HasAllItsCases) {
  EXPECT_EQ(bounds_cases().size(), 55U);
  const auto has_cropdetect = [](const json& golden) { return golden.contains("cropdetect"); };
  EXPECT_EQ(std::count_if(bounds_cases().begin(), bounds_cases().end(), has_cropdetect), 14);
}

}  // namespace
}  // namespace vq::bounds::test
