// SpEED-QA where a device has as little as Vulkan promises, reduces planes otherwise than the CPU, or is lost.
#include "tests/support/spoilt_device_test.h"

namespace vq::speed {
namespace {

using cli::test::ProgramOptions;
using cli::test::Words;
using nlohmann::json;

class SpeedOnSpoiltDevice : public cli::test::SpoiltDeviceTest {
 protected:
  Words compared(const Words& more) const {
    Words words = {"-r", reference_, "-d", video_, "--precision", "max", "--feature", "speed_temporal",
                   "--feature", "speed_chroma=speed_prescale=1.3:speed_prescale_method=lanczos4"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  json on_cpu() const { return scored(compared({"--backend", "cpu"})); }

  const std::string reference_ = made("reference.y4m", cli::test::y4m_video({.width = 334, .height = 217, .frames = 5}));
  const std::string video_ = made("video.y4m", cli::test::y4m_video({.width = 334, .height = 217, .frames = 5, .phase = 3}));
};

TEST_F(SpeedOnSpoiltDevice, ASmallDeviceReducesTheSame) {
  EXPECT_EQ(scored(compared({"--backend", "vulkan"}), {}, spoilt("CAMBI_VULKAN_LACKS", "everything")), on_cpu());
}

TEST_F(SpeedOnSpoiltDevice, ADeviceThatReducesOtherwiseIsNotUsed) {
  const ProgramOptions options = failing("vkCmdDispatch", 0, 0);
  for (const char* backend : {"hybrid", "vulkan"}) {
    refused(compared({"--backend", backend}), 4, {"start-up check", "reduced planes"}, options);
  }
  EXPECT_EQ(scored(compared({"--device", "0"}), {"continuing on the CPU"}, options), on_cpu());
}

TEST_F(SpeedOnSpoiltDevice, TheCpuTakesOverFromALostDevice) {
  constexpr int kDeviceLost = -4;
  const json cpu = on_cpu();
  for (const int at : {1, 3}) {
    EXPECT_EQ(scored(compared({"--device", "0"}), {"continuing on the CPU"}, failing("vkQueueSubmit", at, kDeviceLost)), cpu);
  }
}

}  // namespace
}  // namespace vq::speed
