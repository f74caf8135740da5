// Every golden case of the bounds on the CPU.
#include <algorithm>

#include "tests/bounds/golden_cases.h"

namespace vq::bounds::test {
namespace {

class BoundsGolden : public ::testing::TestWithParam<size_t> {};

TEST_P(BoundsGolden, EqualsTheIndependentFigures) {
  for (const char* backend : {"cpu", "scalar"}) expect_golden(bounds_cases().at(GetParam()), backend);
}

INSTANTIATE_TEST_SUITE_P(AllCases, BoundsGolden, ::testing::Range(size_t{0}, bounds_cases().size()),
                         case_name);

TEST(BoundsGoldenFile, HasAllItsCases) {
  EXPECT_EQ(bounds_cases().size(), 55U);
  const auto has_cropdetect = [](const json& golden) { return golden.contains("cropdetect"); };
  EXPECT_EQ(std::count_if(bounds_cases().begin(), bounds_cases().end(), has_cropdetect), 14);
}

}  // namespace
}  // namespace vq::bounds::test
