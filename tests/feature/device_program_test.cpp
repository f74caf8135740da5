// Features by the program on a device: what the CPU finds, which stages run where, and what they share.
// Devices that compute as badly as Vulkan allows write the same in every stage; those that compute otherwise
// are refused by the start-up checks. The layer in failing_vulkan.cpp makes them so.
#include <gmock/gmock.h>

#include "core/frame.h"
#include "feature/device_feature.h"
#include "tests/support/report_test.h"
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

class PerturbedDevice : public SpoiltDeviceTest {
 protected:
  PerturbedDevice() { good(); }  // before the device is spoilt
  ~PerturbedDevice() override {
    for (const std::string& variable : set_) unsetenv(variable.c_str());
  }

  void set(const std::string& variable, const std::string& value) {
    set_.insert(variable);
    setenv(variable.c_str(), value.c_str(), 1);
  }
  // Without the layer.
  static const DeviceCertificate& good() {
    static const DeviceCertificate kGood = check_device({});
    return kGood;
  }
  DeviceCertificate checked(const std::string& floats,
                            std::span<const FeatureInfo* const> infos = features()) {
    for (const auto& [variable, value] : spoilt("CAMBI_VULKAN_FLOATS", floats).environment)
      set(variable, value);
    return check_device({}, infos);
  }
  void expect_refusals(const char* floats, const std::set<std::string>& expected);

 private:
  std::set<std::string> set_;
};

// By the start-up check, not by the results that are compared behind it; if doubles differ, frames are left
// to the host.
bool is_refused(const CheckedFeature& each) {
  return each.is_on_host || (each.problem.find("failed the start-up check") != std::string::npos &&
                             each.problem.find("other results") == std::string::npos);
}

void expect_equal(const DeviceCertificate& expected, const DeviceCertificate& found) {
  ASSERT_EQ(found.features.size(), expected.features.size());
  for (size_t i = 0; i < found.features.size(); ++i) {
    const CheckedFeature &a = expected.features[i], &b = found.features[i];
    EXPECT_EQ(b.problem, "") << b.name << ", " << b.video;
    ASSERT_EQ(b.stages.size(), a.stages.size()) << b.name << ", " << b.video;
    for (size_t k = 0; k < a.stages.size(); ++k)
      EXPECT_EQ(b.stages[k].digest, a.stages[k].digest)
          << b.name << ", " << b.video << ": " << b.stages[k].stage;
  }
  EXPECT_EQ(found.digest(), expected.digest());
}

// Expects that a device which computes floats so is refused by all features that this concerns. The others
// write the same in every stage, as what they compute in floats is a guess that integers settle, or knows its
// error.
void PerturbedDevice::expect_refusals(const char* floats, const std::set<std::string>& expected) {
  DeviceCertificate found = checked(floats);
  std::set<std::string> refused;
  for (size_t i = 0; i < found.features.size(); ++i) {
    if (!is_refused(found.features[i]) || is_refused(good().features[i])) continue;
    refused.insert(found.features[i].name);
    found.features[i] = good().features[i];
  }
  EXPECT_EQ(refused, expected);
  expect_equal(good(), found);
}

class PerturbedDeviceOfEverySize : public PerturbedDevice {};

TEST_F(PerturbedDevice, ThatIsAsBadAsVulkanAllowsWritesTheSameAndOneThatFusesOperationsIsRefused) {
  expect_equal(good(), checked("legal:1"));
  expect_refusals("fma", {"butteraugli", "cvvdp", "itp", "light", "psnr_hvs", "speed_chroma",
                          "speed_temporal", "ssimulacra2"});
}

TEST_F(PerturbedDeviceOfEverySize, ThatIsBadInAnyWayWritesTheSameInEveryStage) {
  std::vector<std::string> ways = {"ftz", "junk:3217014783"};
  for (int seed = 2; seed <= 20; ++seed) ways.push_back(words("legal:{}", seed));
  for (const std::string& floats : ways) {
    SCOPED_TRACE(floats);
    expect_equal(good(), checked(floats));
  }
}

TEST_F(PerturbedDeviceOfEverySize, ThatTruncatesIsRefused) {
  expect_refusals("rtz", {"butteraugli", "cambi", "ciede", "cvvdp", "float_ms_ssim", "itp", "light",
                          "psnr_hvs", "speed_chroma", "speed_temporal", "ssimulacra2"});
}

// One operation with NoContraction is one unit wrong in each run: it is refused, some by results alone as in
// a run's first frames, or changes no result and no stage but guesses, as what these options compile out.
class PerturbedSites : public PerturbedDevice {
 protected:
  // Tries every `step`-th operation from `first` on, and expects that at least `least` are refused.
  struct Row {
    std::string_view feature;
    int first, step, least;
  };
  void try_sites(const Row& row) {
    const FeatureInfo* const info = &find_feature(row.feature);
    const std::string log = in_folder("sites");
    set("CAMBI_VULKAN_SITES", log);
    const DeviceCertificate unchanged = checked("site:999999", {&info, 1});
    set("CAMBI_VULKAN_SITES", "/dev/null");
    EXPECT_TRUE(unchanged.passes());
    std::map<size_t, int> shaders;  // by the number of their words, as none of a feature have the same
    std::ifstream lines(log);
    size_t of_shader = 0;
    for (int count = 0; lines >> of_shader >> count;) shaders[of_shader] = count;
    std::filesystem::remove(log);
    int number = 0, tried = 0, refused = 0;
    for (const auto& [size, sites] : shaders) {
      set("CAMBI_VULKAN_SITE_OF", std::to_string(size));
      for (int site = 0; site < sites; ++site) {
        if ((number++ + row.step - row.first) % row.step != 0) continue;
        const DeviceCertificate found = checked(words("site:{}", site), {&info, 1});
        const bool is_caught = std::ranges::any_of(found.features, [](const CheckedFeature& each) {
          return each.is_on_host || !each.problem.empty();
        });
        EXPECT_TRUE(is_caught || found.digest() == unchanged.digest())
            << row.feature << ": operation " << site << " of the shader of " << size << " words";
        ++tried;
        refused += is_caught ? 1 : 0;
      }
    }
    unsetenv("CAMBI_VULKAN_SITE_OF");
    EXPECT_GE(refused, row.least) << row.feature;
    RecordProperty(std::string(row.feature), words("{} of {}", refused, tried));
  }
};

TEST_F(PerturbedSites, OneOperationThatIsOneUnitWrongIsRefused) {
  for (const Row& row : {Row{"cambi", 0, 1, 2}, {"psnr_hvs", 3, 8, 2}, {"speed_chroma", 3, 8, 1}})
    try_sites(row);
}

class PerturbedSitesOfEverySize : public PerturbedSites {};

TEST_F(PerturbedSitesOfEverySize, EachOperationThatIsOneUnitWrongIsRefused) {
  for (const char* const feature : {"butteraugli", "cambi", "ciede", "itp", "light", "psnr_hvs",
                                    "speed_chroma", "speed_temporal", "ssimulacra2", "float_ms_ssim"})
    try_sites({feature, 0, 1, 0});
}

// Under the layer and the one that validates synchronization; the first of `layers` is next to the program.
class SynchronizedDevice : public SpoiltDeviceTest {
 protected:
  struct Outcome {
    std::string report, said;
  };
  Outcome run(const std::string& layers, const std::string& variable, const std::string& value) const {
    const std::string log = in_folder("validation.log"), report = in_folder("report.csv");
    made("vk_layer_settings.txt",
         "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
         "khronos_validation.report_flags = error,info\n"
         "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n"
         "khronos_validation.log_filename = " +
             log + "\n");
    std::filesystem::remove(log);
    ProgramOptions options = spoilt(variable, value);
    options.environment["VK_LAYER_PATH"] += ":/usr/share/vulkan/explicit_layer.d";
    options.environment["VK_INSTANCE_LAYERS"] = layers;
    options.environment["VK_LAYER_SETTINGS_PATH"] = folder_.path();
    const ProgramResult result =
        run_program({"-r", testdata("clips/colour_640x360_8b_ref.mp4"), "-d",
                     testdata("clips/colour_640x360_8b_crushed.mp4"), "--feature", "adm", "--feature",
                     "motion", "--frame_cnt", "3", "--backend", "vulkan", "-q", "-o", report},
                    options);
    EXPECT_EQ(result.code, 0) << result.err;
    return {read_file(report), read_file(log)};
  }
  static constexpr const char *kOwn = "VK_LAYER_CAMBI_failing", *kValidation = "VK_LAYER_KHRONOS_validation";
};

TEST_F(SynchronizedDevice, UploadsFromAQueueFamilyOfTheirOwnAreOrdered) {
  const std::string layers = words("{}:{}", kValidation, kOwn);
  const Outcome one = run(layers, "CAMBI_VULKAN_SITES", "/dev/null"),
                two = run(layers, "CAMBI_VULKAN_FAMILIES", "2");
  EXPECT_EQ(two.report, one.report);
  for (const Outcome& outcome : {one, two}) {
    EXPECT_THAT(outcome.said, HasSubstr("Khronos Validation Layer Active"));
    EXPECT_THAT(outcome.said, ::testing::Not(HasSubstr("Validation Error")));
  }
}

TEST_F(SynchronizedDevice, BarriersThatAreLeftOutAreFound) {
  EXPECT_THAT(run(words("{}:{}", kOwn, kValidation), "CAMBI_VULKAN_DROPS", "3").said,
              HasSubstr("SYNC-HAZARD"));
}

struct Sharing {
  Words inputs, features;
  int64_t frame_bytes;
  Words backends;
};

// Each picture goes up once, whoever looks at it, and neither feature changes the other's figures.
TEST(FeaturesOnDevice, ShareTheirPicturesAndNothingElse) {
  const Words letterbox = {testdata("clips/letterbox_640x360_8b.mp4")},
              colour = {"-r", testdata("clips/colour_1280x720_8b_ref.mp4"), "-d",
                        testdata("clips/colour_1280x720_8b_blur.mp4"), "--compare-anyway"};
  for (const auto& [inputs, features, frame_bytes, backends] :
       {Sharing{letterbox, {"cambi", "bounds"}, 640 * 360, {"vulkan"}},
        Sharing{letterbox, {"cambi", "cambi=topk=0.3"}, 640 * 360, {"hybrid"}},
        Sharing{colour, {"cambi", "psnr=enable_apsnr=true"}, 2 * 1280 * 720 * 3 / 2, {"hybrid", "vulkan"}}}) {
    for (const std::string& backend : backends) {
      SCOPED_TRACE(features[1] + ", " + backend);
      const Words words = {"--extended", "--backend", backend};
      const json both = report_of_run(inputs, features, words),
                 one = report_of_run(inputs, {features[0]}, words),
                 other = report_of_run(inputs, {features[1]}, words), &run = other.at("run");
      expect_uploaded_once(both.at("run"), frame_bytes);
      expect_independent(both, one, other);
      EXPECT_EQ(both.at("aggregate_metrics"), other.at("aggregate_metrics"));
      const int64_t scored =
          run.at("scored_frames").get<int64_t>() - run.at("repeated_frames").get<int64_t>();
      EXPECT_GE(run.at("bytes_read"), 16 * scored);
      if (features[1] == "bounds") {
        EXPECT_EQ(run.at("bytes_read"), 16 * scored);
      }
    }
  }
}

// What the device does of features, and what is left to the host; a picture of 480x270 is not shrunk unless
// that is asked for. That it is what the CPU finds is the gate's business.
TEST(StagesOnDevice, AreToldOfEachFeature) {
  const std::pair<Words, Words> rows[] = {
      {{"butteraugli=intensity=203"}, {"light", "bands", "compare", "readback"}},
      {{"ciede"}, {"sum"}},  // the device has doubles, and they are the CPU's
      {{"psnr_hvs"}, {"readback"}},
      {{"float_ssim=scale=2:enable_lcs=true"}, {"shrink", "readback", "compare"}},
      {{"float_ssim", "psnr"}, {"float_ssim: score", "psnr_y: squared_error"}},
      {{"cambi", "cambi=topk=0.3"}, {"cambi: mask", "cambi_topk_0.3: mask", "cambi: readback"}},
      {{"float_ssim=scale=3", "float_ms_ssim"}, {"float_ms_ssim: halve", "float_ms_ssim: compare"}},
      {{"motion=motion_five_frame_window=true"}, {"blurred_difference"}},
      {{"xpsnr"}, {"block_activities", "block_errors"}}};
  for (const auto& [features, stages] : rows) {
    SCOPED_TRACE(::testing::PrintToString(features));
    const json run = report_of_clips("textured_480x270_12b.mkv", "bright_480x270_8b.mkv", features,
                                     {"--extended", "--backend", "vulkan"})
                         .at("run");
    Words told;
    for (const json& stage : run.at("stages")) told.push_back(stage.at("name"));
    for (const std::string& stage : stages) EXPECT_THAT(told, Contains(stage));
    EXPECT_THAT(told, Not(Contains(::testing::EndsWith(": upload"))));
    EXPECT_THAT(run.value("notes", json::array()).dump(), Not(HasSubstr("on the CPU")));
    EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0);
  }
}

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
}  // namespace vq::cli::test
