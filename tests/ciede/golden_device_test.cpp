// The golden cases of CIEDE2000 on a device, and that it finds what the CPU does.
#include <gmock/gmock.h>

#include "tests/support/golden_cases.h"

namespace vq::ciede {
namespace {

using namespace cli::test;

TEST(CiedeGoldenOnDeviceOfEverySize, EqualsTheReference) {
  expect_golden_cases(cli::test::golden_cases("fidelity.json", "ciede"), {{"hybrid"}, {"vulkan"}},
                      cli::test::is_any, 1e-9);
}

json report_by(const std::string& backend, const std::string& reference, const std::string& distorted) {
  return cli::test::report_of_clips(reference, distorted, {"ciede"}, {"--extended", "--backend", backend});
}

TEST(CiedeOnDevice, EqualsTheCpuToTheLastBit) {
  for (const auto& [reference, distorted] :
       {std::pair{"noise_320x240_8b.mkv", "checker_320x240_8b.mkv"},
        {"textured_480x270_12b.mkv", "bright_480x270_8b.mkv"},
        {"colour_384x320_16b_ref.mkv", "colour_384x320_16b_shift.mkv"}}) {
    const json found = report_by("vulkan", reference, distorted);
    EXPECT_EQ(found["frames"], report_by("cpu", reference, distorted)["frames"]);
    EXPECT_EQ(found["run"]["stages"].back().at("name"), "sum")
        << "the device has doubles, and they are the CPU's";
  }
}

}  // namespace
}  // namespace vq::ciede
