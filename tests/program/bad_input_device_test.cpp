// Devices that are missing, unfit, failing or wrong: an explicit backend says so and keeps what was scored, a
// choice left to the program continues on the CPU.
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

constexpr int kDeviceFrames = 6;
constexpr const char* kBackends[] = {"hybrid", "vulkan"};

// Lesser devices are tested by gate_test.cpp, those that fail at any call, choices that cannot be and caches
// of no use in one process by tests/vulkan and tests/feature/gpu_gate_test.cpp. Here the program meets
// devices that cannot be used and that hang; all_faults_devices has all calls, also of devices that are lost.
class BadDevice : public SpoiltDeviceTest {
 protected:
  BadDevice() { thread_counts_ = {3}; }

  // A device that from the at-th wait on answers nobody, while it works on.
  ProgramOptions hanging(int at) const {
    return spoilt("CAMBI_VULKAN_FAULT", "vkWaitForFences:" + std::to_string(at) + "+:2");
  }

  Words on(const std::string& backend) const { return {video_, "--backend", backend, "--precision", "max"}; }
  // A device that is named but no backend: what fails is taken over by the CPU.
  Words left_to_the_program() const { return {video_, "--device", "0", "--precision", "max"}; }
  json on_cpu() const { return scored({video_, "--backend", "cpu", "--precision", "max"}); }

  // What a device that hangs may still be using must be there for as long as it works, the process included.
  void expect_left_alone(int at, int threads, const json& cpu, const Words& backends) const {
    SCOPED_TRACE("wait " + std::to_string(at) + ", " + std::to_string(threads) + " threads");
    ProgramOptions options = hanging(at);
    // Long enough for the device to finish some of its work in the meantime, or not at all.
    options.environment["CAMBI_VULKAN_PAUSE"] = at % 2 == 0 ? "0" : "3";
    for (const std::string& backend : backends) {
      SCOPED_TRACE(backend);
      if (backend == "auto") {
        const ProgramResult ended = run(left_to_the_program(), threads, options);
        EXPECT_EQ(ended.code, 0) << ended.err;
        EXPECT_EQ(message_lines(ended.err).warnings.size(), 1U) << ended.err;
        EXPECT_EQ(read_json(out()).at("frames"), cpu);
        continue;
      }
      fs::remove(partial());
      write_file(out(), kOld);
      const ProgramResult ended = run(on(backend), threads, options);
      EXPECT_EQ(ended.code, 4) << ended.err;
      const Words errors = message_lines(ended.err).errors;
      ASSERT_EQ(errors.size(), 1U) << ended.err;
      EXPECT_EQ(read_file(out()), kOld);
      if (!fs::exists(partial())) continue;
      const json kept = read_json(partial()).at("frames");
      EXPECT_THAT(errors[0], HasSubstr("video.y4m: frame " + std::to_string(kept.size()) + ":"));
      EXPECT_TRUE(std::equal(kept.begin(), kept.end(), cpu.begin()));
    }
  }

  const std::string video_ =
      made("video.y4m", y4m_video({.width = 334, .height = 218, .frames = kDeviceFrames}));
};

// The sentences are in tests/program/messages/devices.txt.
TEST_F(BadDevice, WithoutALoaderOrADriverTheCpuScores) {
  for (const char* name : {"libvulkan.so", "libvulkan.so.1"}) made(name, "no library\n");
  const std::string broken =
      made("broken.json", R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" + video_ +
                              R"(", "api_version": "1.3.0"}})");
  std::vector<ProgramOptions> machines = {
      {.environment = {{"LD_LIBRARY_PATH", fs::path(out()).parent_path()}}}};
  for (const std::string& driver : {in_folder("no such file"), broken})
    machines.push_back({.environment = {{"VK_ICD_FILENAMES", driver}, {"VK_DRIVER_FILES", driver}}});
  const json cpu = on_cpu();
  for (const ProgramOptions& options : machines) {
    EXPECT_EQ(scored({video_, "--precision", "max"}, {}, options), cpu);
    for (const char* backend : kBackends) refused(on(backend), 4, {"--backend cpu"}, options);
    refused(left_to_the_program(), 4, {"--backend cpu"}, options);
  }
}

// The loader hides devices whose driver says that it does not conform in full, until it is asked for them.
TEST_F(BadDevice, ADriverThatDoesNotConformIsFound) {
  std::string drivers;
  for (const char* folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      json manifest = read_json(entry.path());
      manifest.at("ICD")["is_portability_driver"] = true;
      const std::string name = "own_" + entry.path().filename().string();
      drivers += (drivers.empty() ? "" : ":") + made(name, manifest.dump());
    }
  }
  ASSERT_FALSE(drivers.empty());
  const ProgramOptions options{.environment = {{"VK_ICD_FILENAMES", drivers}, {"VK_DRIVER_FILES", drivers}}};
  const std::string all = run_program({"devices"}).out;
  EXPECT_THAT(all, HasSubstr("yes"));
  EXPECT_EQ(run_program({"devices"}, options).out, all);
}

TEST_F(BadDevice, ADeviceThatHangsIsLeftToItself) {
  const json cpu = on_cpu().at("frames");
  expect_left_alone(0, 2, cpu, {"auto", "hybrid"});
  expect_left_alone(3, 1, cpu, {"hybrid"});
  EXPECT_TRUE(fs::exists(partial()));
  expect_left_alone(7, 1, cpu, {"vulkan"});
}

// However many frames are in flight, each thread that waits for them does so once.
TEST_F(BadDevice, ADeviceThatHangsIsWaitedForOnce) {
  const std::string log = in_folder("waits");
  constexpr double kOnceMs = 10'000 + 2 * 334 * 218 / 500.0;
  // Waits that lie behind those of the start-up checks.
  for (const auto& [backend, at] : {std::pair("hybrid", 3), std::pair("vulkan", 7)}) {
    for (const int threads : {1, 3}) {
      ProgramOptions options = hanging(at);
      options.environment["CAMBI_VULKAN_WAITS"] = log;
      fs::remove(log);
      EXPECT_EQ(run(on(backend), threads, options).code, 4);
      std::ifstream lines(log);
      std::map<int, double> milliseconds;  // of each thread
      double longest = 0;
      for (auto [thread, line] = std::pair(0, 0.0); lines >> thread >> line;)
        longest = std::max(longest, milliseconds[thread] += line * 1e-6);
      EXPECT_NEAR(longest, kOnceMs, 1000);
    }
  }
}

TEST_F(BadDevice, ADeviceThatComputesOtherwiseIsNotUsed) {
  const ProgramOptions options = failing("vkCmdDispatch", 0, 0);
  for (const char* backend : kBackends) refused(on(backend), 4, {}, options);
  EXPECT_EQ(scored(left_to_the_program(), {"CPU"}, options), on_cpu());
}

}  // namespace
}  // namespace vq::cli::test
