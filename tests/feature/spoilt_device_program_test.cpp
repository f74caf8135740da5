// Features where a device has as little as Vulkan promises, computes otherwise than the CPU, or is lost: an
// explicit backend says so, a choice left to the program continues on the CPU, and the report names what
// really ran.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "core/frame.h"
#include "feature/device_feature.h"
#include "feature/feature.h"
#include "tests/support/spoilt_device_test.h"

namespace vq {
namespace {

using cli::test::ProgramOptions;
using cli::test::ProgramResult;
using cli::test::Words;
using nlohmann::json;

struct FeatureCase {
  const char* name;
  Words features;
  bool is_compared;   // with a reference
  const char* found;  // what the start-up check says differs
};

class FeatureOnSpoiltDevice : public cli::test::SpoiltDeviceTest,
                              public ::testing::WithParamInterface<FeatureCase> {
 protected:
  Words words(const Words& more) const {
    Words all = {"-d", video_, "--precision", "max"};
    if (GetParam().is_compared) all.insert(all.end(), {"-r", reference_});
    for (const std::string& feature : GetParam().features) all.insert(all.end(), {"--feature", feature});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  json on_cpu() const { return scored(words({"--backend", "cpu"})); }
  // The frames of a run, with their texts, and the backend that it says it used; it must end well.
  std::pair<json, std::string> extended(Words more, const ProgramOptions& options = {}) const {
    more.push_back("--extended");
    const ProgramResult result = run(words(more), 1, options);
    EXPECT_EQ(result.code, 0) << result.err;
    const json report = json::parse(cli::test::read_file(out()));
    return {report.at("frames"), report.at("run").at("backend")};
  }

  const std::string reference_ =
      made("reference.y4m", cli::test::y4m_video({.width = 334, .height = 217, .frames = 5}));
  const std::string video_ =
      made("video.y4m", cli::test::y4m_video({.width = 334, .height = 217, .frames = 5, .phase = 3}));
};

TEST_P(FeatureOnSpoiltDevice, ASmallDeviceFindsTheSame) {
  const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", "everything");
  EXPECT_EQ(scored(words({"--backend", "vulkan"}), {}, options), on_cpu());
  EXPECT_EQ(extended({"--backend", "vulkan"}, options),
            std::pair(extended({"--backend", "cpu"}).first, std::string("vulkan")));
}

TEST_P(FeatureOnSpoiltDevice, ADeviceThatFindsSomethingElseIsNotUsed) {
  const ProgramOptions options = failing("vkCmdDispatch", 0, 0);
  for (const char* backend : {"hybrid", "vulkan"}) {
    refused(words({"--backend", backend}), 4, {"start-up check", GetParam().found}, options);
  }
  EXPECT_EQ(scored(words({"--device", "0"}), {"continuing on the CPU"}, options), on_cpu());
  EXPECT_EQ(extended({"--device", "0"}, options), extended({"--backend", "cpu"}));
}

TEST_P(FeatureOnSpoiltDevice, TheCpuTakesOverFromALostDevice) {
  constexpr int kDeviceLost = -4;
  const json cpu = on_cpu();
  for (const int at : {1, 3}) {
    const ProgramOptions options = failing("vkQueueSubmit", at, kDeviceLost);
    EXPECT_EQ(scored(words({"--device", "0"}), {"continuing on the CPU"}, options), cpu);
    EXPECT_EQ(extended({"--device", "0"}, options), extended({"--backend", "cpu"}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Features, FeatureOnSpoiltDevice,
    ::testing::Values(FeatureCase{"fingerprint", {"fingerprint=planes=all"}, false, "fingerprints"},
                      FeatureCase{"histogram", {"histogram=planes=rgb"}, false, "counts"},
                      FeatureCase{"speed",
                                  {"speed_temporal",
                                   "speed_chroma=speed_prescale=1.3:speed_prescale_method=lanczos4"},
                                  true,
                                  "reduced planes"},
                      FeatureCase{"ssim", {"float_ssim=scale=3"}, true, "shrunk pictures"},
                      FeatureCase{"ssimulacra2", {"ssimulacra2"}, true, "scores"}),
    [](const auto& test) { return std::string(test.param.name); });

using HistogramOnSpoiltDevice = cli::test::SpoiltDeviceTest;

TEST_F(HistogramOnSpoiltDevice, ALimitThatIsTooLowIsNamed) {
  const std::string video =
      made("video.y4m", cli::test::y4m_video({.width = 334, .height = 217, .frames = 5}));
  const auto counted = [&](Words more) {
    more.insert(more.end(), {video, "--feature", "histogram=planes=rgb", "--precision", "max"});
    return more;
  };
  const std::pair<const char*, Words> lacking[] = {
      {"shared memory", {"share at most 1024 bytes of memory", "14584 are needed"}},
      {"invocations", {"at most 32 invocations", "256 are needed"}}};
  const json cpu = scored(counted({"--backend", "cpu"}));
  for (const auto& [what, parts] : lacking) {
    SCOPED_TRACE(what);
    const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", what);
    Words told = parts;
    told.push_back("Try --backend cpu.");
    for (const char* backend : {"hybrid", "vulkan"})
      refused(counted({"--backend", backend}), 4, told, options);
    EXPECT_EQ(scored(counted({}), {}, options), cpu);
    const ProgramResult result = run(counted({"--extended"}), 1, options);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(json::parse(cli::test::read_file(out())).at("run").at("backend"), "cpu");
  }
}

TEST_F(HistogramOnSpoiltDevice, ALimitThatIsTooLowForOneFeatureLeavesThatToTheHost) {
  const std::string video =
      made("video.y4m", cli::test::y4m_video({.width = 334, .height = 217, .frames = 5}));
  const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", "shared memory");
  const auto both = [&](const char* backend) {
    return Words{video,       "--feature", "fingerprint", "--feature", "histogram=planes=rgb",
                 "--backend", backend,     "--precision", "max"};
  };
  EXPECT_EQ(scored(both("vulkan"), {}, options), scored(both("cpu")));
  Words extended = both("vulkan");
  extended.emplace_back("--extended");
  const ProgramResult result = run(extended, 1, options);
  EXPECT_EQ(result.code, 0) << result.err;
  const json report = json::parse(cli::test::read_file(out())).at("run");
  EXPECT_EQ(report.at("backend"), "vulkan");
  EXPECT_THAT(report.at("notes").dump(), ::testing::HasSubstr("on the CPU: histogram"));
}

TEST_F(HistogramOnSpoiltDevice, PicturesThatAreTooLargeForOneFeatureLeaveThatToTheHost) {
  const ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", "large buffers");
  const Words videos = {"-r",          cli::test::clip("sky_640x360_8b_ref.mp4"),
                        "-d",          cli::test::clip("sky_640x360_8b.mp4"),
                        "--frame_cnt", "1",
                        "--precision", "max",
                        "--feature",   "butteraugli"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), videos.begin(), videos.end());
    return more;
  };
  refused(with({"--backend", "vulkan"}), 4,
          {"cannot be used for butteraugli of 640x360", "at most 1 MB of a buffer", "Try --backend cpu."},
          options);
  const json cpu = scored(with({"--feature", "ssimulacra2", "--backend", "cpu"}));
  EXPECT_EQ(scored(with({"--feature", "ssimulacra2", "--backend", "vulkan"}), {}, options), cpu);
  // Where the CPU may take over, its memory counts as well.
  EXPECT_EQ(scored(with({"--feature", "ssimulacra2", "--device", "0"}), {}, options), cpu);
  scored(with({"--device", "0"}), {"1 MB of a buffer; 3 MB are needed; continuing on the CPU"}, options);
  const ProgramResult result =
      run(with({"--feature", "ssimulacra2", "--backend", "vulkan", "--extended"}), 1, options);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(json::parse(cli::test::read_file(out())).at("run").at("notes").dump(),
              ::testing::HasSubstr("on the CPU: butteraugli"));
}

// A frame is seven submissions there.
TEST_F(HistogramOnSpoiltDevice, ASlowDeviceFindsTheSameAndMayFailWithinAFrame) {
  constexpr int kOutOfMemory = -1;
  const Words words = {"-r",          cli::test::clip("sky_640x360_8b_ref.mp4"),
                       "-d",          cli::test::clip("sky_640x360_8b.mp4"),
                       "--frame_cnt", "2",
                       "--precision", "max",
                       "--feature",   "butteraugli"};
  const auto with = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const json cpu = scored(with({"--backend", "cpu"}));
  EXPECT_EQ(scored(with({"--backend", "vulkan"}), {}, spoilt("CAMBI_VULKAN_LACKS", "speed")), cpu);
  for (const int at : {3, 5}) {
    ProgramOptions options = failing("vkQueueSubmit", at, kOutOfMemory);
    options.environment["CAMBI_VULKAN_LACKS"] = "speed";
    EXPECT_EQ(scored(with({"--device", "0"}), {"continuing on the CPU"}, options), cpu);
  }
}

// Its lines "| `FEATURE` | MB |".
TEST(LargestBuffers, AreThoseOfTheDocument) {
  const VideoFormat video = {.name = "8K", .width = 7680, .height = 4320};
  const VideoFormats formats = {.distorted = video, .reference = video};
  const int64_t plane = stored_stride(video.width) * video.height;
  std::vector<std::string> expected, found;
  for (const FeatureInfo* info : features()) {
    if (device_support(*info) == nullptr) continue;
    FeatureRequest request{.info = info, .options = OptionSet(info->options)};
    resolve(request, formats);
    const FeatureMemory memory =
        device_support(*info)->memory(request.options, formats, {.backend = Backend::kVulkan});
    const int64_t megabytes = (std::max(memory.largest_buffer, plane) + 999'999) / 1'000'000;
    expected.push_back("| `" + std::string(info->name) + "` | " + std::to_string(megabytes) + " |");
  }
  std::ifstream document(testdata("../docs/gpu.md"));
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("| `")) found.push_back(line);
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace vq
