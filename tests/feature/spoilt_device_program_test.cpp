// Features where a device has as little as Vulkan promises, computes otherwise than the CPU, or is lost: an
// explicit backend says so, a choice left to the program continues on the CPU, and the report names what
// really ran.
#include "core/frame.h"
#include "feature/device_feature.h"
#include "tests/support/spoilt_device_test.h"

namespace vq {
namespace {

using cli::test::joined;
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

class SpoiltDevice : public cli::test::SpoiltDeviceTest {
 protected:
  // The report with what was done besides, of a run that ends well.
  json extended(Words words, const ProgramOptions& options = {}) const {
    words.emplace_back("--extended");
    const ProgramResult result = run(words, 1, options);
    EXPECT_EQ(result.code, 0) << result.err;
    return cli::test::read_json(out());
  }
  std::string made_video(const std::string& name, int phase) const {
    return made(name, cli::test::y4m_video({.width = 334, .height = 217, .frames = 5, .phase = phase}));
  }
  const std::string video_ = made_video("video.y4m", 3);
};

class FeatureOnSpoiltDevice : public SpoiltDevice, public ::testing::WithParamInterface<FeatureCase> {
 protected:
  Words words(const Words& more) const {
    Words all = {"-d", video_, "--precision", "max"};
    if (GetParam().is_compared) all.insert(all.end(), {"-r", reference_});
    for (const std::string& feature : GetParam().features) all.insert(all.end(), {"--feature", feature});
    return joined(all, more);
  }
  json on_cpu() const { return scored(words({"--backend", "cpu"})); }
  const std::string reference_ = made_video("reference.y4m", 0);
};

TEST_P(FeatureOnSpoiltDevice, ADeviceThatFindsSomethingElseIsNotUsed) {
  const ProgramOptions options = failing("vkCmdDispatch", 0, 0);
  for (const char* backend : {"hybrid", "vulkan"})
    refused(words({"--backend", backend}), 4, {"start-up check", GetParam().found}, options);
  EXPECT_EQ(scored(words({"--device", "0"}), {"continuing on the CPU"}, options), on_cpu());
  const json found = extended(words({"--device", "0"}), options);
  EXPECT_EQ(found.at("frames"), extended(words({"--backend", "cpu"})).at("frames")) << "with their texts";
  EXPECT_EQ(found.at("run").at("backend"), "cpu");
}

INSTANTIATE_TEST_SUITE_P(
    Features, FeatureOnSpoiltDevice,
    ::testing::Values(FeatureCase{"fingerprint", {"fingerprint=planes=all"}, false, "scores"},
                      FeatureCase{"histogram", {"histogram=planes=rgb"}, false, "scores"},
                      // The values themselves are clipped.
                      FeatureCase{"motion", {"motion=motion_max_val=18"}, true, "scores"},
                      FeatureCase{"speed",
                                  {"speed_temporal",
                                   "speed_chroma=speed_prescale=1.3:speed_prescale_method=lanczos4"},
                                  true,
                                  "reduced planes"},
                      FeatureCase{"ssim", {"float_ssim=scale=3"}, true, "shrunk pictures"},
                      FeatureCase{"ssimulacra2", {"ssimulacra2"}, true, "scores"}),
    [](const auto& test) { return std::string(test.param.name); });

class LimitsOfSpoiltDevice : public SpoiltDevice {
 protected:
  // Histograms of a small video.
  Words counted(const Words& more) const {
    return joined({video_, "--feature", "histogram=planes=rgb", "--precision", "max"}, more);
  }
  // Butteraugli of some frames of a clip.
  static Words compared(const char* frames, const Words& more) {
    return joined(
        {"-r", cli::test::clip("sky_640x360_8b_ref.mp4"), "-d", cli::test::clip("sky_640x360_8b.mp4"),
         "--frame_cnt", frames, "--precision", "max", "--feature", "butteraugli"},
        more);
  }
};

// Limits of shared memory or of buffers; the reasons for a feature alone are in gpu_limits_test.cpp. Where
// the CPU may take over, its memory counts as well.
TEST_F(LimitsOfSpoiltDevice, ALimitThatIsTooLowForOneFeatureLeavesThatToTheHost) {
  ProgramOptions options = spoilt("CAMBI_VULKAN_LACKS", "shared memory");
  const auto both = [&](const char* backend) {
    return counted({"--feature", "fingerprint", "--backend", backend});
  };
  EXPECT_EQ(scored(both("vulkan"), {}, options), scored(both("cpu")));
  const json run = extended(both("vulkan"), options).at("run");
  EXPECT_EQ(run.at("backend"), "vulkan");
  EXPECT_THAT(run.at("notes").dump(), HasSubstr("on the CPU: histogram"));
  options = spoilt("CAMBI_VULKAN_LACKS", "large buffers");
  refused(compared("1", {"--backend", "vulkan"}), 4,
          {"cannot be used for butteraugli of 640x360", "at most 1 MB of a buffer", "Try --backend cpu."},
          options);
  const auto two = [](const char* flag, const char* value) {
    return compared("1", {"--feature", "ssimulacra2", flag, value});
  };
  const json cpu = scored(two("--backend", "cpu"));
  EXPECT_EQ(scored(two("--backend", "vulkan"), {}, options), cpu);
  EXPECT_EQ(scored(two("--device", "0"), {}, options), cpu);
  scored(compared("1", {"--device", "0"}), {"1 MB of a buffer; 3 MB are needed; continuing on the CPU"},
         options);
  EXPECT_THAT(extended(two("--backend", "vulkan"), options).at("run").at("notes").dump(),
              HasSubstr("on the CPU: butteraugli"));
}

// Its sums and products of doubles are truncated.
TEST_F(LimitsOfSpoiltDevice, DoublesThatAreNotTheHostsLeaveAFeatureToItWhichIsSaid) {
  const auto run = [&](const char* backend, const ProgramOptions& options = {}) {
    return extended({"-r", made_video("reference.y4m", 0), "-d", video_, "--feature", "ciede", "--feature",
                     "psnr", "--backend", backend},
                    options);
  };
  const json found = run("vulkan", spoilt("CAMBI_VULKAN_FLOATS", "rtz")), good = run("vulkan");
  EXPECT_EQ(found.at("frames"), run("cpu").at("frames"));
  EXPECT_EQ(found.at("run").at("on_host"), "ciede");
  EXPECT_THAT(found.at("run").at("notes").dump(), HasSubstr("on the CPU: ciede, since"));
  EXPECT_FALSE(good.at("run").contains("on_host"));
}

// A frame is seven submissions there.
TEST_F(LimitsOfSpoiltDevice, ASlowDeviceFindsTheSameAndMayFailWithinAFrame) {
  constexpr int kOutOfMemory = -1;
  const json cpu = scored(compared("2", {"--backend", "cpu"}));
  EXPECT_EQ(scored(compared("2", {"--backend", "vulkan"}), {}, spoilt("CAMBI_VULKAN_LACKS", "speed")), cpu);
  // Pairs by time are not read in parts: the device that is named scores all of them.
  const json by_time = scored(compared("2", {"--backend", "cpu", "--pair", "time"}));
  for (const int at : {3, 5}) {
    ProgramOptions options = failing("vkQueueSubmit", at, kOutOfMemory);
    options.environment["CAMBI_VULKAN_LACKS"] = "speed";
    EXPECT_EQ(scored(compared("2", {"--device", "0", "--pair", "time"}), {"continuing on the CPU"}, options),
              by_time);
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
    if (std::regex_match(line, std::regex(R"(\| `\w+` \| \d+ \|)"))) found.push_back(line);
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace vq
