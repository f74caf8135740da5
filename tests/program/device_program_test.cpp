// The program on a device: the gate, reports that are compared, and what the extended report says of the
// device, while the validation layer listens and has nothing to say; every feature against its reference
// implementation's figures.
#include "cli/sandbox/sandbox.h"
#include "cli/system/process.h"
#include "tests/support/golden_cases.h"
#include "tests/support/report_test.h"
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

class DeviceProgram : public FolderTest {
 protected:
  DeviceProgram() {
    write_file(in_folder("vk_layer_settings.txt"),
               "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
               "khronos_validation.report_flags = error,warn,perf,info\n"
               "khronos_validation.log_filename = " +
                   log() + "\n");
  }

  std::string log() const { return in_folder("validation.log"); }

  // Runs under the validation layer, which is seen to be there and must be content.
  ProgramResult validated(const Words& words) const {
    fs::remove(log());
    ProgramResult result =
        run_program(words, {.environment = {{"VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation"},
                                            {"VK_LAYER_SETTINGS_PATH", folder_.path()}}});
    const std::string said = read_file(log());
    EXPECT_THAT(said, HasSubstr("Khronos Validation Layer Active"));
    for (const char* word : {"Validation Error", "Validation Warning", "Validation Performance"})
      EXPECT_THAT(said, Not(HasSubstr(word)));
    return result;
  }

  // The gate's verdict as JSON: every backend the same to the last bit.
  void same_everywhere(const Words& inputs, const std::string& backends, int frames) const {
    const ProgramResult result =
        validated(joined({"gate", "--backends", backends, "-o", in_folder("gate.json")}, inputs));
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    const json gate = read_json(in_folder("gate.json"));
    EXPECT_EQ(gate.at("pass"), true);
    EXPECT_EQ(gate.at("backends").size(), static_cast<size_t>(1 + std::ranges::count(backends, ',')));
    for (const json& entry : gate.at("backends")) {
      EXPECT_EQ(entry.at("frames"), frames);
      EXPECT_GE(entry.at("compared"), frames);
      EXPECT_EQ(entry.at("worst_difference"), 0.0);
      EXPECT_EQ(entry.at("device").get<std::string>().empty(),
                entry.at("backend") == "cpu" || entry.at("backend") == "scalar");
    }
  }
};

// Larger videos are in RunGateOfEverySize.
// A model that is scaled beside a feature that is not, and a range that is evened out: two groups of features
// on one device.
TEST_F(DeviceProgram, FittedFramesScoreAsOnTheCpu) {
  same_everywhere(
      {"-r", testdata("clips/colour_640x360_8b_ref.mp4"), "-d", testdata("clips/sky_640x360_full_range.mp4"),
       "--model", "auto", "--feature", "psnr", "--align", "off", "--compare-anyway", "--frame_cnt", "2"},
      "cpu,hybrid,vulkan", 2);
}

TEST_F(DeviceProgram, PassesTheGate) {
  const std::string sky = clip("sky_640x360_8b.mp4"), sky_source = clip("sky_640x360_8b_ref.mp4");
  same_everywhere({"-r", sky_source, "-d", sky, "--full-ref"}, "cpu,scalar,hybrid,vulkan", 12);
  same_everywhere(
      {"-r", sky_source, "-d", sky, "-n", "--feature", "cambi=enc_width=480:enc_height=270:full_ref=true"},
      "cpu,hybrid", 12);
  same_everywhere({"-d", clip("textured_480x270_16b.mkv")}, "cpu,hybrid,vulkan", 1);
}

// The wrong device leaves out a pass of the first frame's recording, after the start-up check has passed. Its
// frame is compared unless that of the good one was, which has the same name and driver.
TEST_F(SpoiltDeviceTest, AFirstFrameIsComparedAndACertificateStandsInLaterReports) {
  ProgramOptions wrong = failing("vkCmdDispatch", 11, 0), good;
  for (ProgramOptions* options : {&wrong, &good}) {
    options->environment["XDG_CACHE_HOME"] = in_folder("cache");
    // The driver keeps its own cache, else it compiles every shader again.
    options->environment["MESA_SHADER_CACHE_DIR"] = cache_folder().value_or(out()).parent_path();
  }
  const std::string video = clip("sky_640x360_8b.mp4");
  const Words words = {video,    "-q",        "--frame_cnt", "1",  "--extended", "--backend",
                       "hybrid", "--threads", "1",           "-o", out()};
  const auto certificate = [&] {
    run_well(words, good);
    return read_json(out()).at("run").at("certificate").get<std::string>();
  };
  const auto is_refused = Ends(4, HasSubstr("it computes other scores of frame 0 by cambi than the CPU"));
  EXPECT_THAT(run_program(words, wrong), is_refused);
  EXPECT_EQ(certificate(), "");
  const ProgramResult gate =
      run_program({"gate", "-d", video, "--backends", "cpu,hybrid", "--threads", "1"}, wrong);
  EXPECT_EQ(gate.code, 7) << gate.err << gate.out;
  EXPECT_THAT(gate.out, HasSubstr("frame 0"));
  const json checked = json::parse(run_well({"devices", "--check"}, good).out).at(0);
  EXPECT_TRUE(checked.at("passes"));
  EXPECT_TRUE(checked.at("floats").at("round_to_nearest"));
  EXPECT_THAT(run_program(words, wrong), is_refused);
  EXPECT_EQ(certificate(), checked.at("digest"));
}

TEST_F(DeviceProgram, TheExtendedReportTellsWhereTheDevicesTimeWent) {
  // What a frame of 640x360 samples moves at least: its luma, and back either the images and masks of five
  // scales or five sums.
  constexpr int kFrames = 12, kSamples = 640 * 360;
  const std::pair<const char*, Words> backends[] = {
      {"hybrid", {"upload", "preprocess", "mask", "mode_filter", "decimate", "readback"}},
      {"vulkan",
       {"upload", "preprocess", "mask", "mode_filter", "slice", "c_values", "pooling", "readback"}}};
  for (const auto& [backend, stages] : backends) {
    ASSERT_EQ(validated({clip("sky_640x360_8b.mp4"), "-q", "--extended", "--backend", backend, "-o",
                         in_folder("a.json")})
                  .code,
              0);
    const auto run = nlohmann::ordered_json::parse(read_file(in_folder("a.json"))).at("run");
    EXPECT_EQ(run.at("backend"), backend);
    EXPECT_FALSE(run.at("device").get<std::string>().empty());
    EXPECT_FALSE(run.at("driver").get<std::string>().empty());
    Words names;
    for (const auto& [stage, milliseconds] : run.at("gpu_milliseconds").items()) {
      names.push_back(stage);
      EXPECT_THAT(milliseconds.get<double>(), Gt(0)) << stage;
    }
    EXPECT_EQ(names, stages);
    // The same with what the host had to do.
    Words told;
    for (const auto& stage : run.at("stages")) {
      told.push_back(stage.at("name"));
      const bool on_device = told.size() <= stages.size();
      EXPECT_EQ(stage.at("on"), on_device ? "device" : "host");
      EXPECT_THAT(stage.at("milliseconds").get<double>(), Gt(0));
      if (on_device) {
        EXPECT_EQ(stage.at("milliseconds"), run.at("gpu_milliseconds").at(told.back()));
      }
    }
    names.insert(names.end(), {"c_values", "pooling"});
    if (std::string(backend) == "vulkan") names.resize(stages.size());
    EXPECT_EQ(told, names);
    EXPECT_GT(run.at("pace").at("parts").at("scoring"), 0);
    const int64_t up = run.at("bytes_uploaded"), back = run.at("bytes_read");
    // A device whose memory is the host's reads frames as they lie, once it is open.
    EXPECT_GT(up, 0);
    EXPECT_LT(up, int64_t{2 * kFrames} * kSamples);
    if (std::string(backend) == "hybrid") {
      EXPECT_GT(back, int64_t{kFrames} * kSamples * 3);
      EXPECT_LT(back, int64_t{kFrames} * kSamples * 6);
    } else {
      EXPECT_GT(back, kFrames * 5 * 16);
      EXPECT_LT(back, kFrames * 1000);
    }
  }
  ASSERT_EQ(run_program({clip("sky_640x360_8b.mp4"), "-q", "--extended", "--backend", "cpu", "-o",
                         in_folder("b.json")})
                .code,
            0);
  const json run = read_json(in_folder("b.json")).at("run");
  EXPECT_EQ(run.at("gpu_milliseconds"), json::object());
  Words told;
  for (const auto& stage : run.at("stages")) told.push_back(stage.at("name"));
  EXPECT_EQ(told, (Words{"prepare", "c_values", "pooling", "decimate", "mode_filter"}));
  EXPECT_EQ(run.at("bytes_uploaded"), 0);
  EXPECT_EQ(run.at("bytes_read"), 0);
}

// --sandbox with a GPU, which needs its device, its driver and their caches.
TEST(SandboxOnDevice, ScoresAreTheSameToTheByte) {
  if (kSanitized || landlock_version() == 0) GTEST_SKIP() << "there is no sandbox: see SandboxOfThisSystem";
  const TemporaryFolder folder;
  const std::string reports[] = {folder.path() + "/outside.csv", folder.path() + "/inside.csv"};
  for (const std::string& report : reports) {
    Words words = {
        clip("small_256x144_8b.mp4"), "--backend", "vulkan", "--frame_cnt", "3", "-q", "-o", report};
    if (report == reports[1]) words.push_back("--sandbox");
    run_well(words);
  }
  EXPECT_FALSE(read_file(reports[0]).empty());
  EXPECT_EQ(read_file(reports[1]), read_file(reports[0]));
}

// The benchmark on a device, which may be a software one, and what is left when that fails.
class BenchOnDevice : public SpoiltDeviceTest {
 protected:
  // A device that is named is measured, also where it is software.
  ProgramResult bench(const std::string& frames, const ProgramOptions& options = {}) const {
    return run_program(
        {"bench", testdata("clips/small_256x144_8b.mp4"), "--device", "0", "--frames", frames, "-o", out()},
        options);
  }
  json backends() const { return read_json(out()).at("videos").at(0).at("backends"); }
};

TEST_F(BenchOnDevice, MeasuresEveryBackend) {
  const ProgramResult result = bench("2");
  EXPECT_EQ(result.code, 0) << result.err;
  const json document = read_json(out()), all = backends();
  ASSERT_EQ(document.at("devices").size(), 1u);
  for (const char* rate :
       {"memory_bytes_per_second", "upload_bytes_per_second", "readback_bytes_per_second"}) {
    EXPECT_GT(document.at("devices").at(0).at(rate), 0) << rate;
  }
  const Words expected = {"cpu", "hybrid", "vulkan"};
  ASSERT_EQ(all.size(), expected.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].at("backend"), expected[i]);
    EXPECT_EQ(all[i].at("device").get<std::string>().empty(), i == 0);
    EXPECT_TRUE(all[i].at("error").is_null());
    EXPECT_GT(all[i].at("whole_fps"), 0);
    EXPECT_GE(all[i].at("stages").size(), 5u);
    for (const json& stage : all[i].at("stages")) EXPECT_GT(stage.at("milliseconds"), 0) << stage;
  }
}

// Its copies are measured, one backend and some frames of the other; then it is lost.
TEST_F(BenchOnDevice, ADeviceThatFailsInTheMiddleLeavesTheOthers) {
  const ProgramResult result = bench("8", spoilt("CAMBI_VULKAN_FAULT", "vkQueueSubmit:100+:-4"));
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_EQ(read_json(out()).at("devices").size(), 1u);
  const json all = backends();
  ASSERT_EQ(all.size(), 3u);
  for (const size_t i : {0, 1}) {
    EXPECT_TRUE(all[i].at("error").is_null());
    EXPECT_GT(all[i].at("whole_fps"), 0);
  }
  EXPECT_FALSE(all[2].at("error").is_null());
  EXPECT_TRUE(all[2].at("whole_fps").is_null());
  EXPECT_FALSE(all[2].at("device").get<std::string>().empty());
}

// Its first work fails, which is a copy, and what follows does not.
TEST_F(BenchOnDevice, ADeviceThatCannotCopyIsMeasuredAsFarAsItWorks) {
  const ProgramResult result = bench("2", spoilt("CAMBI_VULKAN_FAULT", "vkQueueSubmit:0:-4"));
  EXPECT_EQ(result.code, 0) << result.err;
  const json document = read_json(out());
  EXPECT_EQ(document.at("devices"), json::array());
  EXPECT_EQ(document.at("notes").size(), 1U);
  for (const json& backend : backends()) EXPECT_TRUE(backend.at("error").is_null());
}

const std::vector<GoldenWay> kVulkan = {{"vulkan"}}, kHybrid = {{"hybrid"}},
                             kVulkanAndCpu = {{"vulkan"}, {"cpu"}};

GoldenChoice whose_reference_is_like(std::vector<std::string> names) {
  return those([names = std::move(names)](const json& golden) {
    const std::string clip = golden.at("reference");
    return std::ranges::any_of(names,
                               [&](const std::string& name) { return clip.find(name) != std::string::npos; });
  });
}
GoldenChoice those_with(const std::string& option) {
  return those([=](const json& golden) { return golden.at("options").contains(option); });
}

class GoldenOnDevice : public GoldenTests {};

TEST_P(GoldenOnDevice, EqualsTheReference) { expect_reference(); }

INSTANTIATE_TEST_SUITE_P(
    Quick, GoldenOnDevice,
    ::testing::Values(
        GoldenTest{"adm", "adm", numbered({15, 31, 36, 58, 62}), kVulkan},
        // Bars on all sides and on none, odd sides, 8 to 16 bits, full range, a fade, and options.
        GoldenTest{"bounds", "bounds", numbered({0, 1, 2, 3, 4, 9, 24, 35}), device_ways()},
        GoldenTest{"butteraugli", "butteraugli",
                   whose_reference_is_like({"tiny_128x96_8b", "small_256x144_8b", "textured_417x235_8b"}),
                   kVulkanAndCpu},
        // Stills; PQ and HLG; chroma of each kind; odd sides; filters of 7 to 17 frames; both paddings.
        GoldenTest{"cvvdp", "cvvdp", numbered({4, 5, 11, 13, 20, 21, 38, 39, 42, 44}), kVulkanAndCpu},
        GoldenTest{"itp", "itp", all_cases(), kVulkan}, GoldenTest{"light", "light", all_cases(), kVulkan},
        // Small pictures of several depths; then clips with options, sampled and skipped frames.
        GoldenTest{"motion_pictures", "motion", up_to(1000), device_ways()},
        GoldenTest{"motion_clips", "motion", numbered({23, 42, 63, 65}), device_ways()},
        GoldenTest{"ms_ssim", "float_ms_ssim", whose_reference_is_like({"_480x270_"}), kVulkan},
        GoldenTest{"psnr", "psnr", all_cases(), device_ways()},
        // 8, 10 and 12 bits, 4:2:0, 4:2:2 and 4:4:4, two depths, and equal pictures.
        GoldenTest{"psnr_hvs", "psnr_hvs", numbered({3, 8, 12, 13, 14, 19, 22, 23, 24}), kVulkan},
        GoldenTest{"psnr_yuv", "psnr_yuv", all_cases(), kVulkan},
        GoldenTest{"siti", "siti", all_cases(), kVulkan},
        // Depths, odd sizes, both directions of scaling, a wide filter, and what is singular or nearly so.
        GoldenTest{"speed_chroma", "speed_chroma", numbered({3, 14, 15, 16, 29, 42, 46, 48, 51}),
                   device_ways()},
        GoldenTest{"speed_temporal", "speed_temporal", numbered({0, 3}), device_ways()},
        // Every factor, with sides that it divides and that it does not; at 1 the host does it all. Then 12
        // bits beside 8.
        GoldenTest{"ssim_factors", "float_ssim", those_with("scale"), kVulkan},
        GoldenTest{"ssim_depths", "float_ssim", whose_reference_is_like({"textured_480x270_12b"}), kHybrid},
        GoldenTest{"stretches", "stretches", all_cases(), kVulkan},
        // 8, 10 and 16 bits, borders that reach far into the picture, and options; then a clip.
        GoldenTest{"vif_pictures", "vif", numbered({45, 58, 60}), kVulkan},
        GoldenTest{"vif_clip", "vif", numbered({3}), kHybrid},
        // Other samplings, depths, and rates; odd sides; a picture in cells.
        GoldenTest{"xpsnr", "xpsnr", numbered({9, 13, 19, 22, 23, 25, 26, 27, 29, 31, 35}), device_ways()}),
    name_of);

class GoldenOnDeviceOfEverySize : public GoldenTests {};

TEST_P(GoldenOnDeviceOfEverySize, EqualsTheReference) { expect_reference(); }

INSTANTIATE_TEST_SUITE_P(
    Long, GoldenOnDeviceOfEverySize,
    ::testing::Values(
        GoldenTest{"adm", "adm", all_cases(), kVulkan},
        GoldenTest{"bounds", "bounds", all_cases(), device_ways()},
        GoldenTest{"butteraugli",
                   "butteraugli",
                   those([](const json& golden) { return golden.at("intensity_target") == 80; }),
                   {{"hybrid"}, {"cpu"}}},
        GoldenTest{"ciede", "ciede", all_cases(), device_ways()},
        GoldenTest{"cvvdp", "cvvdp", all_cases(), kVulkanAndCpu},
        GoldenTest{"motion", "motion", all_cases(), device_ways()},
        GoldenTest{"ms_ssim", "float_ms_ssim", all_cases(), device_ways()},
        GoldenTest{"psnr_hvs", "psnr_hvs", all_cases(), device_ways()},
        GoldenTest{"speed_chroma", "speed_chroma", all_cases(), device_ways()},
        GoldenTest{"speed_temporal", "speed_temporal", all_cases(), device_ways()},
        GoldenTest{"ssim", "float_ssim", all_cases(), device_ways()},
        GoldenTest{"vif", "vif", all_cases(), device_ways()},
        GoldenTest{"xpsnr", "xpsnr", those([](const json& golden) { return golden.contains("distorted"); }),
                   device_ways()}),
    name_of);

}  // namespace
}  // namespace vq::cli::test
