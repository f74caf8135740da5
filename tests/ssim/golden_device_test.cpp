// The golden cases of SSIM and MS-SSIM on a device, and what such runs report.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/golden_cases.h"

namespace vq::ssim {
namespace {

using namespace cli::test;
using ::testing::HasSubstr;

const json& device_cases() {
  static const json kCases = cli::test::golden_cases("fidelity.json", "float_ssim");
  return kCases;
}

// Every factor, with sides that it divides and that it does not; at 1 the host does it all.
bool is_quick_on_device(const json& golden) {
  return golden.at("options").contains("scale");
}

TEST(SsimGoldenOnDevice, EveryFactorEqualsTheReference) {
  EXPECT_EQ(std::count_if(device_cases().begin(), device_cases().end(), is_quick_on_device), 14);
  expect_golden_cases(device_cases(), {{"vulkan"}}, is_quick_on_device);
}

// 12 bits beside 8.
TEST(SsimGoldenOnDevice, VideosOfTwoDepthsEqualTheReference) {
  expect_golden_cases(device_cases(), {{"hybrid"}}, [](const json& golden) {
    return golden.at("reference") == "textured_480x270_12b.mkv";
  });
}

TEST(SsimGoldenOnDeviceOfEverySize, EqualsTheReference) {
  expect_golden_cases(device_cases(), {{"hybrid"}, {"vulkan"}}, cli::test::is_any);
}

const json& scale_cases() {
  static const json kCases = cli::test::golden_cases("fidelity.json", "float_ms_ssim");
  return kCases;
}

TEST(MsSsimGoldenOnDevice, SmallVideosEqualTheReference) {
  const auto is_small = [](const json& golden) {
    return golden.at("reference").get<std::string>().find("_480x270_") != std::string::npos;
  };
  EXPECT_GE(std::count_if(scale_cases().begin(), scale_cases().end(), is_small), 1);
  expect_golden_cases(scale_cases(), {{"vulkan"}}, is_small);
}

TEST(MsSsimGoldenOnDeviceOfEverySize, EqualsTheReference) {
  expect_golden_cases(scale_cases(), {{"hybrid"}, {"vulkan"}}, cli::test::is_any);
}

json report(const std::vector<std::string>& features, const std::string& backend) {
  return cli::test::report_of_clips("textured_480x270_12b.mkv", "bright_480x270_8b.mkv", features,
                                    {"--extended", "--backend", backend});
}

std::vector<std::string> stages(const json& report) {
  std::vector<std::string> names;
  for (const json& stage : report.at("run").at("stages")) names.push_back(stage.at("name"));
  return names;
}

TEST(SsimOnDevice, TheDeviceShrinksAndTheHostCompares) {
  const json shrunk = report({"float_ssim=scale=2:enable_lcs=true"}, "vulkan");
  EXPECT_THAT(stages(shrunk), ::testing::IsSupersetOf({"shrink", "readback", "compare"}));
  EXPECT_GE(shrunk["run"]["bytes_read"].get<int64_t>(), int64_t{2} * 240 * 135 * 4);
  EXPECT_EQ(shrunk["frames"], report({"float_ssim=scale=2:enable_lcs=true"}, "cpu")["frames"]);
}

// A picture of 480x270 is not shrunk unless that is asked for.
TEST(SsimOnDevice, WhatIsNotShrunkIsLeftToTheHost) {
  const json whole = report({"float_ssim", "psnr"}, "vulkan");
  EXPECT_THAT(stages(whole), ::testing::IsSupersetOf({"float_ssim: score", "psnr_y: squared_error"}));
  EXPECT_EQ(whole["frames"], report({"float_ssim", "psnr"}, "cpu")["frames"]);
}

TEST(SsimOnDevice, TheDeviceHalvesAndComparesAllScales) {
  const json both = report({"float_ssim=scale=3", "float_ms_ssim=enable_lcs=true"}, "vulkan");
  EXPECT_THAT(both["run"].value("notes", json::array()).dump(), ::testing::Not(HasSubstr("on the CPU")));
  EXPECT_THAT(stages(both), ::testing::IsSupersetOf({"float_ms_ssim: halve", "float_ms_ssim: compare"}));
  EXPECT_EQ(both["frames"], report({"float_ssim=scale=3", "float_ms_ssim=enable_lcs=true"}, "cpu")["frames"]);
}

}  // namespace
}  // namespace vq::ssim
