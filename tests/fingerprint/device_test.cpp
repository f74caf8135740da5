// The fingerprint on a device: the same on every backend, and beside another feature.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tests/support/report_test.h"
#include "tests/support/run_program.h"

namespace vq::fingerprint {
namespace {

using nlohmann::json;

json report_of(const std::string& video, const std::string& backend, const std::vector<std::string>& more) {
  return cli::test::report_of_run({video, "--extended", "--backend", backend}, {"fingerprint=planes=all"},
                                  more);
}

// The frames of all clips by name, from one process, as a device takes long to open.
std::map<std::string, json> frames_of_clips(const std::string& backend) {
  const cli::test::TemporaryFolder folder;
  const auto result =
      cli::test::run_program({"batch", testdata("clips"), "--feature", "fingerprint=planes=all", "--extended",
                              "--frame_cnt", "2", "--backend", backend, "--reports", folder.path(), "-q"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::map<std::string, json> frames;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".json") && name != "summary.json")
      frames[name] = json::parse(cli::test::read_file(entry.path())).at("frames");
  }
  return frames;
}

TEST(FingerprintOnDevice, EqualsTheCpuOnEveryClip) {
  const auto expected = frames_of_clips("cpu");
  EXPECT_GT(expected.size(), 50U);
  for (const char* backend : {"scalar", "hybrid", "vulkan"}) {
    const auto found = frames_of_clips(backend);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [clip, frames] : expected) EXPECT_EQ(found.at(clip), frames) << clip << ", " << backend;
  }
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
