// The fingerprint on a device: the same on every backend, and beside another feature.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/report_of_run.h"

namespace vq::fingerprint {
namespace {

using nlohmann::json;

json report_of(const std::string& video, const std::string& backend, const std::vector<std::string>& more) {
  return cli::test::report_of_run({video, "--extended", "--backend", backend}, {"fingerprint=planes=all"},
                                  more);
}

TEST(FingerprintOnDevice, EqualsTheCpuOnEveryClip) {
  int clips = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testdata("clips"))) {
    const std::string video = entry.path();
    const json expected = report_of(video, "cpu", {"--frame_cnt", "2"});
    for (const char* backend : {"scalar", "hybrid", "vulkan"}) {
      EXPECT_EQ(report_of(video, backend, {"--frame_cnt", "2"})["frames"], expected["frames"])
          << video << ", " << backend;
    }
    ++clips;
  }
  EXPECT_GT(clips, 50);
}

// Planes go up once, whoever looks at them; repeats are found across frames that are not reported.
TEST(FingerprintOnDevice, SharesThePlanesAndSeesEveryFrame) {
  const std::string video = testdata("clips/static_640x360_8b.mp4");
  const json all = report_of(video, "cpu", {});
  for (const char* backend : {"hybrid", "vulkan"}) {
    const json alone = report_of(video, backend, {"--subsample", "3"}),
               both = report_of(video, backend, {"--subsample", "3", "--feature", "cambi"});
    ASSERT_EQ(alone["frames"].size(), 4U);
    cli::test::expect_uploaded_once(both["run"], 640 * 360 * 3 / 2);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(alone["frames"][i], all["frames"][3 * i]);
      EXPECT_EQ(both["frames"][i]["texts"], alone["frames"][i]["texts"]);
      EXPECT_TRUE(both["frames"][i]["metrics"].contains("cambi"));
    }
  }
}

}  // namespace
}  // namespace vq::fingerprint
