// Runs that a device joins, which is a software device that calls itself a real one: they report what a run
// on the CPU reports, but for who did it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/arguments.h"
#include "cli/run/run.h"
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Found {
  Report report;
  std::string error;
};

class RunMembersTest : public SpoiltDeviceTest {
 protected:
  RunMembersTest() { set(spoilt("CAMBI_VULKAN_LACKS", "speed").environment); }
  ~RunMembersTest() override {
    for (const std::string& name : set_) unsetenv(name.c_str());
  }

  void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      setenv(name.c_str(), value.c_str(), 1);
      set_.push_back(name);
    }
  }

  // 130 frames with a cut, pictures that stand still, and noise.
  std::string video(const std::string& name, const std::string& encoder, const std::string& more = {}) const {
    run_ffmpeg(
        "-f lavfi -i "
        "\"testsrc2=s=224x216:r=25:d=3,loop=12:1:30,noise=alls=4:allf=t:all_seed=3:enable='lt(n,25)'[a];"
        "testsrc=s=224x216:r=25:d=4[b];[a][b]concat" +
        more + "\" -frames:v " + (name.starts_with("short") ? "110" : "130") + " -pix_fmt yuv420p " +
        encoder + " " + in_folder(name));
    return in_folder(name);
  }

  // `rows`: stops there. `joins_after`: the CPU waits for the device if it is 0.
  static Found scored(Words words, bool may_be_joined, int64_t rows = 1000, double joins_after = 0,
                      const std::string& devices = "0") {
    words.insert(words.end(), {"--extended", "-o", "unused.json", "--threads", "2"});
    const Words machine = may_be_joined ? Words{"--device", devices} : Words{"--backend", "cpu"};
    words.insert(words.end(), machine.begin(), machine.end());
    RunOptions options = run_options(parse_run_words(words));
    options.joins_after = joins_after;
    std::atomic<int64_t> seen = 0;
    options.stop = StopToken([&] { return seen >= rows; });
    Messages messages([](std::string_view) {});
    Found found;
    ScoringRun run(options, messages);
    try {
      run.score({[&](double) { ++seen; }});
    } catch (const Error& error) {
      found.error = error.what();
    }
    found.report = run.report();
    return found;
  }

  static json told(Report report) {
    RunFacts& run = report.run;
    run.scored_by.clear();
    run.backend = run.device = run.driver = run.certificate = run.simd = "";
    run.arguments.clear();
    run.stages.clear();
    run.gpu_milliseconds.clear();
    run.pace.reset();
    run.bytes_read = run.bytes_uploaded = 0;
    run.wall_seconds = report.fps = 0;
    for (InputFacts& input : run.inputs) input.decoder.clear();
    return json::parse(
        write_report(report, {.format = ReportFormat::kJson, .numbers = {}, .extended = true, .zones = {}}));
  }

  static void expect_joined(const Report& report) {
    int64_t frames = 0;
    for (const ScoredBy& member : report.run.scored_by) frames += member.frames;
    EXPECT_EQ(report.run.scored_by.size(), 2U);
    EXPECT_EQ(frames, static_cast<int64_t>(report.frames.size()));
  }

  static constexpr const char* kH264 = "-c:v libx264 -g 12 -bf 2 -threads 1";
  static constexpr const char* kOther = "-c:v libx264 -g 17 -bf 2 -qp 10 -threads 1";
  std::vector<std::string> set_;
};

TEST_F(RunMembersTest, ReportWhatTheCpuReports) {
  const std::string coded = video("a.mp4", kH264), stored = video("a.y4m", ""),
                    shorter = video("short.mkv", kOther),
                    late = video("late.mkv", kOther, ",trim=start_frame=4,setpts=PTS-STARTPTS");
  for (const Words& words : std::vector<Words>{
           {coded, "--start", "0.7s", "--end", "125", "--frame_skip_dist", "3"},
           {stored, "-r", coded, "--feature", "motion", "--feature", "psnr", "--subsample", "2:spread"},
           {coded, "-r", shorter, "--feature", "psnr", "--crop", "auto"},
           {coded, "-r", late, "--feature", "psnr"},
           {coded, "-r", late, "--feature", "psnr", "--align", "auto"}}) {
    SCOPED_TRACE(join(words, " "));
    const Found cpu = scored(words, false), joined = scored(words, true);
    EXPECT_EQ(joined.error, cpu.error);
    EXPECT_EQ(told(joined.report), told(cpu.report));
    expect_joined(joined.report);
  }
}

TEST_F(RunMembersTest, OfAVideoWithoutPlacesToCutTheCpuScoresAll) {
  for (const char* const encoder :
       {"-c:v libx264 -g 600 -threads 1", "-c:v libx264 -g 12 -threads 1 -f mpegts"}) {
    const Words words = {video("a.mp4", encoder), "--feature", "cambi"};
    const Found joined = scored(words, true, 1000, 0.02);
    EXPECT_EQ(told(joined.report), told(scored(words, false).report)) << encoder;
  }
}

TEST_F(RunMembersTest, ALongRunBeginsOnADevice) {
  const Words words = {video("a.mp4", kH264), "-r", video("r.mkv", kOther), "--feature", "motion"};
  constexpr double kShort = 1e-6;  // for the CPU
  const Found begun = scored(words, true, 1000, kShort);
  EXPECT_TRUE(begun.report.run.backend.starts_with("vulkan")) << begun.report.run.backend;
  EXPECT_EQ(told(begun.report), told(scored(words, false).report));
  const std::vector<double>& some = scored(words, true, 60, kShort).report.metrics.front().values;
  EXPECT_GE(some.size(), 60U);
}

// The machine has its driver's device twice.
TEST_F(RunMembersTest, DevicesThatBeganTogetherJoinNoMore) {
  const Words words = {video("a.mp4", kH264), "-r", video("r.mkv", kOther), "--feature", "motion"};
  const json cpu = told(scored(words, false).report);
  std::string drivers;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/share/vulkan/icd.d")) {
    for (const char* const copy : {"first_", "second_"})
      drivers += made(copy + entry.path().filename().string(), read_file(entry.path())) + ":";
  }
  set({{"VK_ICD_FILENAMES", drivers}, {"VK_DRIVER_FILES", drivers}});
  const Report report = scored(words, true, 1000, 1e-6, "0,1").report;
  EXPECT_EQ(told(report), cpu);
  const auto has_device = [](const ScoredBy& member) { return !member.device.empty(); };
  EXPECT_LE(std::ranges::count_if(report.run.scored_by, has_device), 1);
}

TEST_F(RunMembersTest, WhatALostDeviceLeavesTheCpuScores) {
  const std::string coded = video("a.mp4", kH264);
  const json cpu = told(scored({coded}, false).report);
  for (const int at : {0, 3, 6}) {
    set({{"CAMBI_VULKAN_FAULT", "vkQueueSubmit:" + std::to_string(at) + "+:-4"}});
    Report joined = scored({coded}, true).report;
    EXPECT_THAT(joined.run.warnings, ElementsAre(HasSubstr("; continuing "))) << at;
    joined.run.warnings.clear();
    EXPECT_EQ(told(joined), cpu) << at;
  }
}

TEST_F(RunMembersTest, ErrorsComeWhereTheyComeOnTheCpu) {
  std::string bytes = read_file(video("a.mp4", kH264));
  for (const double place : {0.35, 0.7}) {
    const auto at = static_cast<size_t>(place * static_cast<double>(bytes.size()));
    std::string damaged = bytes;
    damaged.replace(at, 200, 200, '\x5a');
    const Words words = {made("damaged.mp4", damaged), "--feature", "cambi"};
    const Found cpu = scored(words, false), joined = scored(words, true);
    EXPECT_THAT(cpu.error, HasSubstr("damaged"));
    EXPECT_EQ(joined.error, cpu.error);
    EXPECT_EQ(joined.report.frames, cpu.report.frames);
    EXPECT_EQ(joined.report.metrics.front().values, cpu.report.metrics.front().values);
  }
}

TEST_F(RunMembersTest, WhatAnInterruptLeavesIsTheBeginning) {
  const std::string coded = video("a.mp4", kH264);
  const std::vector<double> cpu = scored({coded}, false).report.metrics.front().values;
  for (const int64_t rows : {5, 60, 115}) {
    const Report report = scored({coded}, true, rows).report;
    EXPECT_FALSE(report.run.complete);
    const std::vector<double>& values = report.metrics.front().values;
    ASSERT_GE(values.size(), static_cast<size_t>(rows));
    EXPECT_EQ(values, std::vector<double>(cpu.begin(), cpu.begin() + static_cast<ptrdiff_t>(values.size())));
  }
}

}  // namespace
}  // namespace vq::cli::test
