// Devices that compute as badly as Vulkan allows write the same in every stage; those that compute otherwise
// are refused by the start-up checks. The layer in failing_vulkan.cpp makes them so.
#include <gmock/gmock.h>

#include "feature/device_feature.h"
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

TEST_F(PerturbedDevice, ThatIsAsBadAsVulkanAllowsWritesTheSameInEveryStage) {
  expect_equal(good(), checked("legal:1"));
}

TEST_F(PerturbedDeviceOfEverySize, ThatIsBadInAnyWayWritesTheSameInEveryStage) {
  std::vector<std::string> ways = {"ftz", "junk:3217014783"};
  for (int seed = 2; seed <= 20; ++seed) ways.push_back(words("legal:{}", seed));
  for (const std::string& floats : ways) {
    SCOPED_TRACE(floats);
    expect_equal(good(), checked(floats));
  }
}

TEST_F(PerturbedDevice, ThatFusesOperationsIsRefused) {
  expect_refusals("fma", {"butteraugli", "cvvdp", "itp", "light", "psnr_hvs", "speed_chroma",
                          "speed_temporal", "ssimulacra2"});
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

}  // namespace
}  // namespace vq::cli::test
