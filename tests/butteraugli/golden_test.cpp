// The golden cases of Butteraugli on the CPU: within the reference's own spread, and the same on all
// instruction sets.
#include <algorithm>
#include <array>

#include "tests/butteraugli/golden_cases.h"

namespace vq::butteraugli::test {
namespace {

// Clips of up to 640x360.
bool is_quick(const json& golden) {
  const std::string clip = golden.at("reference");
  constexpr std::array kLarge = {"_1280x", "_1920x", "_3840x"};
  return std::none_of(kLarge.begin(), kLarge.end(),
                      [&](const char* size) { return clip.find(size) != std::string::npos; });
}

TEST(ButteraugliGoldenFile, HasAllItsCases) {
  const json cases = golden_cases();
  EXPECT_EQ(cases.size(), 86U);
  EXPECT_EQ(std::count_if(cases.begin(), cases.end(), is_quick), 66);
}

TEST(ButteraugliGolden, IsCloseToTheReference) {
  for (const json& golden : golden_cases()) {
    if (is_quick(golden)) expect_reference(golden, values_of(golden, {"cpu"}));
  }
}

TEST(ButteraugliGolden, IsTheSameOnAllInstructionSets) {
  for (const json& golden : golden_cases()) {
    if (golden.at("reference") != "colour_357x355_8b_ref.mkv" &&
        golden.at("reference") != "tiny_128x96_8b.mp4")
      continue;
    const std::vector<double> expected = values_of(golden, {"scalar"});
    expect_reference(golden, expected);
    for (const GoldenWay& way : cli::test::host_ways())
      EXPECT_EQ(values_of(golden, way), expected) << way.cpumask;
  }
}

TEST(ButteraugliGoldenOfEverySize, IsCloseToTheReference) {
  for (const json& golden : golden_cases()) {
    if (!is_quick(golden)) expect_reference(golden, values_of(golden, {"cpu"}));
  }
}

}  // namespace
}  // namespace vq::butteraugli::test
