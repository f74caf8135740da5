// The golden cases of PSNR-HVS on a device.
#include <gmock/gmock.h>

#include "tests/support/golden_cases.h"

namespace vq::psnr_hvs::test {
namespace {

using nlohmann::json;

const json& device_cases() {
  static const json kCases = cli::test::golden_cases("fidelity.json", "psnr_hvs");
  return kCases;
}

// Of 8, 10 and 12 bits, 4:2:0, 4:2:2 and 4:4:4, of two depths, and of equal pictures.
constexpr size_t kChosenOnDevice[] = {3, 8, 12, 13, 14, 19, 22, 23, 24};

TEST(PsnrHvsGoldenOnDevice, SomeCasesEqualTheReference) {
  cli::test::expect_chosen_cases(device_cases(), {{"vulkan"}}, kChosenOnDevice);
}

TEST(PsnrHvsGoldenOnDeviceOfEverySize, EqualsTheReference) {
  cli::test::expect_golden_cases(device_cases(), {{"hybrid"}, {"vulkan"}}, cli::test::is_any);
}

TEST(PsnrHvsOnDevice, NothingIsLeftToTheHost) {
  const json report = cli::test::report_of_clips("textured_480x270_12b.mkv", "bright_480x270_8b.mkv",
                                                 {"psnr_hvs"}, {"--extended", "--backend", "vulkan"});
  EXPECT_THAT(report["run"].value("notes", json::array()).dump(),
              ::testing::Not(::testing::HasSubstr("on the CPU")));
  EXPECT_EQ(report["run"]["stages"].back().at("name"), "readback");
}

}  // namespace
}  // namespace vq::psnr_hvs::test
