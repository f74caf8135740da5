// The golden cases of VIF on a device, and what it refuses there.
#include "tests/support/test_video.h"
#include "tests/vif/golden_cases.h"

namespace vq::vif::test {
namespace {

// Of 8, 10 and 16 bits, with borders that reach far into the picture, and with options.
TEST(VifGoldenOnDevice, SmallPicturesScoreAsTheReference) {
  golden().expect({45, 58, 60}, {{"vulkan"}});
}

TEST(VifGoldenOnDevice, AClipScoresAsTheReference) {
  golden().expect({3}, {{"hybrid"}});
}

TEST(VifGoldenOnDeviceOfEverySize, EqualsTheReference) {
  golden().expect_all(device_ways());
}

// The second frame of one of the videos has a sample that 10 bits do not hold.
TEST(VifOnDevice, RefusesSamplesBeyondTheirDepthAsTheCpuDoes) {
  const TemporaryFolder folder;
  Still still = {.width = 20, .height = 16, .bit_depth = 10, .samples = std::vector<uint16_t>(320, 1023)};
  const std::string good = folder.path() + "/good.y4m", bad = folder.path() + "/bad.y4m";
  write_stills(good, {still, still});
  Still broken = still;
  broken.samples[5 * 20 + 13] = 1024;
  write_stills(bad, {still, broken});
  const auto outcome = [](const std::string& reference, const std::string& distorted,
                          const std::string& backend) {
    const ProgramResult result =
        run_program({"-r", reference, "-d", distorted, "--feature", "vif", "--backend", backend, "-q"});
    return std::pair(result.code, result.err);
  };
  const auto distorted = outcome(good, bad, "cpu"), reference = outcome(bad, good, "cpu");
  EXPECT_NE(distorted.second.find("luma sample 1024 at x=13, y=5 exceeds 1023"), std::string::npos)
      << distorted.second;
  EXPECT_NE(reference.second.find("luma sample 1024 at x=13, y=5 exceeds 1023"), std::string::npos)
      << reference.second;
  EXPECT_EQ(outcome(good, bad, "vulkan"), distorted);
  EXPECT_EQ(outcome(bad, good, "hybrid"), reference);
}

}  // namespace
}  // namespace vq::vif::test
