// Every golden case of the bounds on a device, and the bounds beside another feature.
#include "tests/bounds/golden_cases.h"

namespace vq::bounds::test {
namespace {

TEST(BoundsGoldenOnDevice, AllCasesEqualTheIndependentFigures) {
  for (const json& golden : bounds_cases()) {
    for (const char* backend : {"hybrid", "vulkan"}) expect_golden(golden, backend);
  }
}

json run_with(const std::vector<std::string>& features, const std::vector<std::string>& more = {}) {
  return cli::test::report_of_run(
      {testdata("clips/letterbox_640x360_8b.mp4"), "--extended", "--backend", "vulkan"}, features, more);
}

// The luma goes up once, 16 bytes of a frame come back, and neither feature changes the other's figures.
TEST(BoundsOnDevice, SharesTheLumaWithAnotherFeature) {
  const json both = run_with({"cambi", "bounds"}), bounds = run_with({"bounds"}), cambi = run_with({"cambi"});
  cli::test::expect_uploaded_once(both["run"], 640 * 360);
  const auto scored =
      bounds["run"]["scored_frames"].get<int64_t>() - bounds["run"]["repeated_frames"].get<int64_t>();
  EXPECT_GE(scored, 1);
  EXPECT_EQ(bounds["run"]["bytes_read"], 16 * scored);
  cli::test::expect_independent(both, cambi, bounds);
}

TEST(BoundsOnDevice, LooksInsideTheCrop) {
  const json metrics = run_with({"bounds"}, {"--crop", "300:100:20:30"})["frames"][0]["metrics"];
  EXPECT_EQ(metrics["bounds_y"], 15);
  EXPECT_EQ(metrics["bounds_height"], 85);
  EXPECT_EQ(metrics["bounds_width"], 300);
}

}  // namespace
}  // namespace vq::bounds::test
