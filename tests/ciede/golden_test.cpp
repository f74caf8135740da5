// The golden cases of CIEDE2000 on the CPU. They were computed with the C library's functions, so that some
// differences of colours differ by the last bit of a float.
#include <algorithm>

#include "tests/support/golden_cases.h"

namespace vq::ciede {
namespace {

using namespace cli::test;

constexpr double kTolerance = 1e-9;

const json& cases() {
  static const json kCases = cli::test::golden_cases("fidelity.json", "ciede");
  return kCases;
}

// A frame of each depth, pictures that are flat, alike or have nothing in common.
bool is_quick(const json& golden) {
  const std::string video = golden.at("distorted");
  return golden.at("frames").size() == 1 && video.find("3840") == std::string::npos;
}

TEST(CiedeGoldenFile, HasAllItsCases) {
  EXPECT_EQ(cases().size(), 33U);
  EXPECT_EQ(std::count_if(cases().begin(), cases().end(), is_quick), 8);
}

TEST(CiedeGolden, FramesOfEveryKindEqualTheReference) {
  expect_golden_cases(cases(), host_ways(), is_quick, kTolerance);
}

TEST(CiedeGoldenOfEverySize, EqualsTheReference) {
  expect_golden_cases(cases(), host_ways(), cli::test::is_any, kTolerance);
}

}  // namespace
}  // namespace vq::ciede
