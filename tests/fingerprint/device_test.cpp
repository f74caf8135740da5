// The fingerprint on a device: the same on every backend, and beside another feature.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/spoilt_device_test.h"

namespace vq::fingerprint {
namespace {

using cli::test::ProgramResult;
using cli::test::run_program;
using cli::test::TemporaryFolder;
using nlohmann::json;

json report_of(const std::string& video, const std::string& backend, const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/report.json";
  std::vector<std::string> words = {
      video, "-q", "--extended", "--backend", backend, "-o", path, "--feature", "fingerprint=planes=all"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.code, 0) << result.err;
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
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
    EXPECT_GT(alone["run"]["bytes_uploaded"].get<int64_t>(), 0);
    EXPECT_EQ(both["run"]["bytes_uploaded"], alone["run"]["bytes_uploaded"]);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(alone["frames"][i], all["frames"][3 * i]);
      EXPECT_EQ(both["frames"][i]["texts"], alone["frames"][i]["texts"]);
      EXPECT_TRUE(both["frames"][i]["metrics"].contains("cambi"));
    }
  }
}

class FingerprintOnSpoiltDevice : public cli::test::SpoiltDeviceTest {
 protected:
  cli::test::Words hashed(const cli::test::Words& more) const {
    cli::test::Words words = {video_, "--feature", "fingerprint=planes=all", "--extended"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // What the report says of frames, the run ending well.
  json frames_of(const cli::test::Words& more, const cli::test::ProgramOptions& options = {}) const {
    const ProgramResult result = run(hashed(more), 1, options);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(cli::test::read_file(out())).at("frames");
  }
  const std::string video_ =
      made("video.y4m", cli::test::y4m_video({.width = 334, .height = 218, .frames = 5}));
};

// With the least that Vulkan promises.
TEST_F(FingerprintOnSpoiltDevice, ASmallDeviceHashesTheSame) {
  EXPECT_EQ(frames_of({"--backend", "vulkan"}, spoilt("CAMBI_VULKAN_LACKS", "everything")),
            frames_of({"--backend", "cpu"}));
}

TEST_F(FingerprintOnSpoiltDevice, ADeviceThatHashesOtherwiseIsNotUsed) {
  const cli::test::ProgramOptions options = failing("vkCmdDispatch", 0, 0);
  for (const char* backend : {"hybrid", "vulkan"}) {
    refused(hashed({"--backend", backend}), 4, {"start-up check", "fingerprints"}, options);
  }
  EXPECT_EQ(frames_of({"--device", "0"}, options), frames_of({"--backend", "cpu"}));
}

TEST_F(FingerprintOnSpoiltDevice, TheCpuTakesOverFromALostDevice) {
  constexpr int kDeviceLost = -4;
  EXPECT_EQ(frames_of({"--device", "0"}, failing("vkQueueSubmit", 2, kDeviceLost)),
            frames_of({"--backend", "cpu"}));
}

}  // namespace
}  // namespace vq::fingerprint
