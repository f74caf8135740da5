// The golden cases of SSIM and MS-SSIM on the CPU, to the last digit.
#include <algorithm>

#include "tests/support/golden_cases.h"

namespace vq::ssim {
namespace {

using namespace cli::test;

const json& cases() {
  static const json kCases = [] {
    json all = cli::test::golden_cases("fidelity.json", "float_ssim");
    for (const json& one : cli::test::golden_cases("fidelity.json", "float_ms_ssim")) all.push_back(one);
    return all;
  }();
  return kCases;
}

// A frame of each depth, odd sides, pictures that are flat, alike or have nothing in common.
bool is_quick(const json& golden) {
  const std::string video = golden.at("distorted");
  return golden.at("frames").size() == 1 && video.find("3840") == std::string::npos &&
         golden.at("options").contains("enable_lcs") && !golden.at("options").contains("scale");
}

TEST(SsimGoldenFile, HasAllItsCases) {
  EXPECT_EQ(cases().size(), 132U);
  EXPECT_EQ(std::count_if(cases().begin(), cases().end(), is_quick), 17);
}

TEST(SsimGolden, FramesOfEveryKindEqualTheReference) {
  expect_golden_cases(cases(), host_ways(), is_quick);
}

TEST(SsimGolden, EveryOptionEqualsTheReference) {
  expect_golden_cases(cases(), {{"cpu"}}, [](const json& golden) {
    return golden.at("reference") == "sky_640x360_8b.mp4" || golden.at("options").contains("scale");
  });
}

TEST(SsimGoldenOfEverySize, EqualsTheReference) {
  expect_golden_cases(cases(), host_ways(), cli::test::is_any);
}

}  // namespace
}  // namespace vq::ssim
