// A build without Vulkan: what would need it is refused before the first frame, and the CPU does the rest.
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

class NoVulkan : public BadInputTest {};

TEST_F(NoVulkan, ScoresOnTheCpu) {
  const std::string video = clip("small_256x144_8b.mp4");
  const auto report = scored({video});
  EXPECT_FALSE(scores_of(report).empty());
  EXPECT_EQ(scored({video, "--backend", "scalar"}).at("frames"), report.at("frames"));
  const std::string extended = in_folder("extended.json");
  EXPECT_EQ(run({video, "--extended", "-o", extended}, 1).code, 0);
  EXPECT_THAT(read_file(extended), HasSubstr("\"backend\": \"cpu\""));
}

TEST_F(NoVulkan, RefusesItsBackends) {
  for (const std::string backend : {"hybrid", "vulkan"})
    refused({clip("small_256x144_8b.mp4"), "--backend", backend}, 4, {backend, "CAMBI_VULKAN=OFF"});
  refused({clip("small_256x144_8b.mp4"), "--device", "0"}, 4, {"CAMBI_VULKAN=OFF"});
}

TEST_F(NoVulkan, ListsNoDevices) { EXPECT_THAT(run_well({"devices"}).out, HasSubstr("CAMBI_VULKAN=OFF")); }

TEST_F(NoVulkan, PassesTheGateWithoutIt) {
  const Words gate = {
      "gate",     "-r", clip("sky_640x360_8b_ref.mp4"), "-d", clip("sky_640x360_8b.mp4"), "--full-ref",
      "--places", "17"};
  run_well(joined(gate, {"--backends", "cpu,scalar"}));
  const ProgramResult refused = run_program(joined(gate, {"--backends", "cpu,vulkan"}));
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("CAMBI_VULKAN=OFF"));
}

}  // namespace
}  // namespace vq::cli::test
