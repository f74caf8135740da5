// The golden cases of SSIM on a device, which shrinks pictures for the host, and what such a run reports.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/golden_cases.h"

namespace vq::ssim {
namespace {

using cli::test::expect_golden;
using cli::test::json;
using cli::test::run_program;
using cli::test::TemporaryFolder;
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
  for (const json& golden : device_cases()) {
    if (is_quick_on_device(golden)) expect_golden(golden, {"vulkan"});
  }
}

// 12 bits beside 8.
TEST(SsimGoldenOnDevice, VideosOfTwoDepthsEqualTheReference) {
  for (json golden : device_cases()) {
    if (golden.at("reference") == "textured_480x270_12b.mkv") expect_golden(golden, {"hybrid"});
  }
}

TEST(SsimGoldenOnDeviceOfEverySize, EqualsTheReference) {
  for (const json& golden : device_cases()) {
    for (const char* backend : {"hybrid", "vulkan"}) expect_golden(golden, {backend});
  }
}

json report(const std::vector<std::string>& features, const std::string& backend) {
  const TemporaryFolder folder;
  const std::string clips = testdata("clips/"), path = folder.path() + "/report.json";
  std::vector<std::string> words = {"-r", clips + "textured_480x270_12b.mkv", "-d", clips + "bright_480x270_8b.mkv", "-q",
                                    "--extended", "--backend", backend, "--precision", "max", "-o", path};
  for (const std::string& feature : features) words.insert(words.end(), {"--feature", feature});
  const cli::test::ProgramResult result = run_program(words);
  EXPECT_EQ(result.code, 0) << result.err;
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
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

// Its sums would have to be made in the order of the samples.
TEST(SsimOnDevice, SeveralScalesAreLeftToTheHostAndTheReportSaysSo) {
  const json both = report({"float_ssim=scale=3", "float_ms_ssim"}, "vulkan");
  EXPECT_THAT(both["run"]["notes"].dump(), HasSubstr("on the CPU: float_ms_ssim"));
  EXPECT_EQ(both["frames"], report({"float_ssim=scale=3", "float_ms_ssim"}, "cpu")["frames"]);
}

}  // namespace
}  // namespace vq::ssim
