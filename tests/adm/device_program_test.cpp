// ADM on a device as a user meets it: what the CPU reports, and what is refused.
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;

class AdmOnDevice : public SpoiltDeviceTest {
 protected:
  Words videos(const VideoShape& reference, const VideoShape& distorted) const {
    return {"-r",          made("reference.y4m", y4m_video(reference)),
            "-d",          made("distorted.y4m", y4m_video(distorted)),
            "--precision", "max"};
  }
  // On the CPU and on the device; the latter says so.
  void expect_same(Words words, const std::string& feature, const std::string& backend = "vulkan") const {
    SCOPED_TRACE(feature);
    words.insert(words.end(), {"--feature", feature, "--extended", "--backend", "cpu"});
    ASSERT_EQ(run(words, 1).code, 0);
    const json expected = json::parse(read_file(out()));
    words.back() = backend;
    ASSERT_EQ(run(words, 1).code, 0);
    const json found = json::parse(read_file(out()));
    EXPECT_EQ(found.at("frames"), expected.at("frames"));
    EXPECT_EQ(found.at("run").at("backend"), backend);
  }
};

TEST_F(AdmOnDevice, EqualsTheCpuAtSeveralDepths) {
  const auto shape = [](int depth, int phase) {
    return VideoShape{.width = 121, .height = 75, .bit_depth = depth, .chroma = "400", .phase = phase};
  };
  expect_same(videos(shape(8, 0), shape(8, 5)), "adm", "hybrid");
  expect_same(videos(shape(10, 0), shape(8, 5)), "adm");
  expect_same(videos(shape(12, 0), shape(16, 5)), "adm");
}

TEST_F(AdmOnDevice, EqualsTheCpuUnderOptions) {
  const Words words = {"-r",          clip("sky_640x360_8b_ref.mp4"),
                       "-d",          clip("sky_640x360_8b.mp4"),
                       "--frame_cnt", "1",
                       "--precision", "max"};
  for (const char* const options :
       {"adm_skip_scale0=true:debug=true", "adm_skip_aim=true:adm_enhn_gain_limit=1.2",
        "adm_csf_mode=2:adm_enhn_gain_limit=1:adm_min_val=0.5:adm_dlm_weight=0.7:adm_noise_weight=0.02"}) {
    expect_same(words, std::string("adm=") + options);
  }
}

TEST_F(AdmOnDevice, TheSmallestPicturesScoreAsOnTheCpu) {
  for (const auto& [width, height] : {std::pair{33, 33}, {500, 33}}) {
    const VideoShape shape = {.width = width, .height = height};
    expect_same(videos(shape, shape), "adm");
  }
}

// The frame before it is scored.
TEST_F(AdmOnDevice, ASampleAboveTheDepthIsToldAsOnTheCpu) {
  const VideoShape shape = {.width = 64, .height = 48, .frames = 2, .bit_depth = 10, .chroma = "400"};
  const std::string good = made("good.y4m", y4m_video(shape));
  std::string spoilt = y4m_video(shape);
  spoilt[spoilt.size() - 1] = '\x07';  // the high byte of the last sample of frame 1
  const std::string bad = made("bad.y4m", spoilt);
  for (const auto& [reference, distorted] : {std::pair(good, bad), std::pair(bad, good)}) {
    cut_short({"-r", reference, "-d", distorted, "--feature", "adm", "--backend", "vulkan"}, 3,
              {"bad.y4m", "frame 1", "x=63", "y=47", "1023"}, 1);
  }
}

TEST_F(AdmOnDevice, ALimitThatIsTooLowIsNamed) {
  const VideoShape shape = {.width = 64, .height = 48};
  Words words = videos(shape, shape);
  words.insert(words.end(), {"--feature", "adm"});
  const json cpu = scored(words);
  const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", "shared memory");
  EXPECT_EQ(scored(words, {}, options), cpu);
  words.insert(words.end(), {"--backend", "vulkan"});
  refused(words, 4, {"share at most 1024 bytes of memory"}, options);
}

}  // namespace
}  // namespace vq::cli::test
