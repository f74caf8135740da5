// Histograms where a device cannot count them, counts otherwise than the CPU, or is lost: an explicit backend
// says so, a choice left to the program continues on the CPU, and the report names what really ran.
#include "tests/support/spoilt_device_test.h"

namespace vq::histogram::test {
namespace {

using cli::test::message_lines;
using cli::test::ProgramOptions;
using cli::test::ProgramResult;
using cli::test::Words;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HistogramOnSpoiltDevice : public cli::test::SpoiltDeviceTest {
 protected:
  Words counted(const Words& more) const {
    Words words = {video_, "--feature", "histogram=planes=rgb", "--precision", "max"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  json on_cpu() const { return scored(counted({"--backend", "cpu"})); }
  // What the extended report says ran; the run must end well.
  std::string backend_of(const Words& more, const ProgramOptions& options) const {
    Words words = counted(more);
    words.push_back("--extended");
    const ProgramResult result = run(words, 1, options);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(cli::test::read_file(out())).at("run").at("backend");
  }

  const std::string video_ =
      made("video.y4m", cli::test::y4m_video({.width = 334, .height = 218, .frames = 5}));
};

TEST_F(HistogramOnSpoiltDevice, ALimitThatIsTooLowIsNamed) {
  const std::pair<const char*, Words> lacking[] = {
      {"shared memory", {"share at most 1024 bytes of memory", "14584 are needed"}},
      {"invocations", {"at most 32 invocations", "256 are needed"}}};
  const json cpu = on_cpu();
  for (const auto& [what, parts] : lacking) {
    SCOPED_TRACE(what);
    const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", what);
    Words told = parts;
    told.push_back("Try --backend cpu.");
    for (const char* backend : {"hybrid", "vulkan"})
      refused(counted({"--backend", backend}), 4, told, options);
    EXPECT_EQ(scored(counted({}), {}, options), cpu);
    EXPECT_EQ(backend_of({}, options), "cpu");
  }
}

// With the least that Vulkan promises.
TEST_F(HistogramOnSpoiltDevice, ASmallDeviceCountsTheSame) {
  const json cpu = on_cpu();
  const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", "everything");
  EXPECT_EQ(scored(counted({"--backend", "vulkan"}), {}, options), cpu);
  EXPECT_EQ(backend_of({"--backend", "vulkan"}, options), "vulkan");
}

TEST_F(HistogramOnSpoiltDevice, ADeviceThatCountsOtherwiseIsNotUsed) {
  const ProgramOptions options = failing("vkCmdDispatch", 0, 0);
  for (const char* backend : {"hybrid", "vulkan"}) {
    refused(counted({"--backend", backend}), 4, {"start-up check", "counts"}, options);
  }
  EXPECT_EQ(scored(counted({"--device", "0"}), {"continuing on the CPU"}, options), on_cpu());
  EXPECT_EQ(backend_of({"--device", "0"}, options), "cpu");
}

TEST_F(HistogramOnSpoiltDevice, TheCpuTakesOverFromALostDevice) {
  const json cpu = on_cpu();
  constexpr int kDeviceLost = -4;
  for (const int at : {1, 3}) {
    const ProgramOptions options = failing("vkQueueSubmit", at, kDeviceLost);
    EXPECT_EQ(scored(counted({"--device", "0"}), {"continuing on the CPU"}, options), cpu);
    EXPECT_EQ(backend_of({"--device", "0"}, options), "cpu");
  }
}

}  // namespace
}  // namespace vq::histogram::test
