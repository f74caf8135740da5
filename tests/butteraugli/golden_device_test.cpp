// Golden cases of Butteraugli on a device: to the last digit what the CPU scores; and what such a run
// reports.
#include <gmock/gmock.h>

#include "tests/butteraugli/golden_cases.h"

namespace vq::butteraugli::test {
namespace {

TEST(ButteraugliGoldenOnDevice, IsWhatTheCpuScores) {
  for (const json& golden : golden_cases()) {
    const std::string clip = golden.at("reference");
    if (clip != "tiny_128x96_8b.mp4" && clip != "small_256x144_8b.mp4" && clip != "textured_417x235_8b.mkv")
      continue;
    const std::vector<double> values = values_of(golden, {"vulkan"});
    expect_reference(golden, values);
    EXPECT_EQ(values, values_of(golden, {"cpu"})) << clip;
  }
}

TEST(ButteraugliOnDevice, TheDeviceDoesItAll) {
  const auto report = [](const char* backend) {
    return cli::test::report_of_clips(
        "small_256x144_8b.mp4", "small_256x144_8b.mp4", {"butteraugli=intensity=203"},
        {"--extended", "--frame_skip_dist", "1", "--frame_cnt", "2", "--backend", backend});
  };
  const json run = report("vulkan");
  std::vector<std::string> stages;
  for (const json& stage : run.at("run").at("stages")) stages.push_back(stage.at("name"));
  EXPECT_THAT(stages, ::testing::IsSupersetOf({"light", "bands", "compare", "readback"}));
  EXPECT_EQ(run.at("frames"), report("cpu").at("frames"));
}

TEST(ButteraugliGoldenOnDeviceOfEverySize, IsWhatTheCpuScores) {
  for (const json& golden : golden_cases()) {
    if (golden.at("intensity_target") != 80) continue;
    EXPECT_EQ(values_of(golden, {"hybrid"}), values_of(golden, {"cpu"})) << golden.dump();
  }
}

}  // namespace
}  // namespace vq::butteraugli::test
