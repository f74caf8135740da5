// Members that take ranges of a run by the paces that they show, on a clock that the test sets; and runs that
// a device joins, which is a software device that calls itself a real one: they report what a run on the CPU
// reports, but for who did it.
#include "cli/run/run_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/arguments.h"
#include "cli/run/run.h"
#include "tests/support/expect_error.h"
#include "tests/support/spoilt_device_test.h"

namespace vq::cli::test {
namespace {

constexpr RangeMember kHost = {.is_device = false, .start = 0.05, .least = 0.15};
constexpr RangeMember kDevice = {.is_device = true, .start = 0.3, .least = 0.5};
constexpr double kTick = 0.005;

// A machine whose members score so many frames a second, each after the start of its range.
struct Machine {
  struct One {
    double pace = 0, start = 0, joins = 0;  // joins: when
    int64_t fails_at = -1;                  // frame
    double begins = 0;  // seconds from its first frame to its pace, a fiftieth of it before
    size_t member = 0;
    std::shared_ptr<RunRange> range = {};
    double ready = 0, owed = 0;
    int64_t next = 0, scored = 0;
    bool has_joined = false, has_left = false;
  };

  // All but the first are of the kind `others`.
  explicit Machine(std::vector<One> all, const RangeMember& first = kHost, RangeMember others = kDevice)
      : members(std::move(all)), joining(others), ranges(first, [this] { return now; }) {
    members[0].has_joined = true;
    members[0].range = ranges.first_range();
  }

  // The run's seconds; every frame is scored once.
  double run(int64_t frames, int64_t group) {
    std::vector<int64_t> cuts;
    for (int64_t at = 1; at < frames; at += group) cuts.push_back(at);
    counts.assign(static_cast<size_t>(frames), 0);
    constexpr double kOpened = 0.2, kTooLong = 1000;
    bool is_open = false;
    for (; left() > 0 && now < kTooLong; now += kTick) {
      if (!is_open && now >= kOpened) ranges.open(cuts, frames);
      is_open = is_open || now >= kOpened;
      for (One& one : members) work(one);
      int64_t first = 0;
      while (first < frames && counts[static_cast<size_t>(first)] > 0) ++first;
      ranges.delivered(first);
      for (size_t i = static_cast<size_t>(first); i < counts.size(); ++i)
        if (counts[i] > 0) furthest = std::max(furthest, static_cast<int64_t>(i) - first);
    }
    for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 1) << i;
    return now;
  }

  int64_t left() const { return std::ranges::count(counts, 0); }

  void work(One& one) {
    if (one.has_left || now < one.joins) return;
    if (!one.has_joined) one.member = ranges.add_member(joining);
    one.has_joined = true;
    if (!one.range) {
      one.range = ranges.take_now(one.member);
      if (!one.range) return;
      one.ready = now + one.start;
      one.next = one.range->first;
      one.owed = 0;
    }
    if (now < one.ready) return;
    const bool is_at_its_pace = now >= one.ready + one.begins;
    for (one.owed += one.pace * kTick * (is_at_its_pace ? 1 : 0.02); one.owed >= 1; one.owed -= 1) {
      const bool is_end = one.next >= static_cast<int64_t>(counts.size());
      if (one.next == one.fails_at) {
        one.has_left = true;
        return ranges.give_back(*one.range, one.next);
      }
      if (is_end || !ranges.may_use(*one.range, one.next)) {
        ranges.finish(*one.range);
        one.range.reset();
        return;
      }
      ++counts[static_cast<size_t>(one.next++)];
      ++one.scored;
    }
  }

  double now = 0;
  std::vector<One> members;
  const RangeMember joining;
  std::vector<int> counts = {0};
  int64_t furthest = 0;  // scored frame beyond the first that was not
  RunRanges ranges;
};

TEST(RunRanges, BesideADeviceThatBeganTheHostTakesTheEnd) {
  RangeMember first = kDevice;
  first.steals = false;
  Machine machine({{1000, 0.3}, {300, 0.05, 0.5}}, first, kHost);
  EXPECT_LT(machine.run(3840, 60), 3.65);  // alone 3.84
  EXPECT_GT(machine.members[1].scored, 150);
  Machine far_faster({{1000, 0.3}, {100, 0.05, 0.5}}, first, kHost);
  far_faster.run(3840, 60);
  EXPECT_LE(far_faster.members[1].scored, 120);  // that it is slow is seen at the first piece
  Machine decoders_begin({{2900, 0.3, 0, -1, 0.25}, {430, 0.05, 0.5}}, first, kHost);
  EXPECT_LT(decoders_begin.run(3840, 48), 1.95);  // alone 1.87
  Machine failing({{1000, 0.3}, {200, 0.05, 0.5, 3800}}, first, kHost);
  failing.run(3840, 60);
  EXPECT_TRUE(failing.members[1].has_left);
}

TEST(RunRanges, ADeviceThatBeganSharesWithOthers) {
  Machine machine({{550, 0.3}, {550, 0.3, 1.5}}, {.is_device = true, .start = 0.3, .keeps_front = false});
  EXPECT_LT(machine.run(15360, 60), 15.5);  // alone 28.2
  for (const Machine::One& one : machine.members) EXPECT_GT(one.scored, 6000);
  Machine at_once({{700, 0.3, 0, -1, 0.4}, {700, 0.3, 0.2, -1, 0.4}}, kDevice);  // no pace is known yet
  EXPECT_LT(at_once.run(15360, 60), 12);                                         // alone 22.3
}

TEST(RunRanges, TheWholeMachineIsBusyToTheEnd) {
  struct Case {
    std::string name;
    std::vector<Machine::One> members;
    int64_t frames, group;
    double most;  // times the seconds of all paces together, and starts besides
  };
  for (const Case& each :
       std::vector<Case>{{"a fast device", {{400, 0.05}, {1000, 0.2, 0.5}}, 3840, 60, 1.15},
                         {"a device as fast", {{400, 0.05}, {400, 0.2, 0.5}}, 3840, 60, 1.15},
                         {"a slow device", {{400, 0.05}, {40, 0.2, 0.5}}, 3840, 24, 1.3},
                         {"short groups", {{100, 0.05}, {600, 0.2, 0.5}}, 2000, 1, 1.15},
                         {"two devices", {{200, 0.05}, {600, 0.2, 0.5}, {600, 0.2, 0.6}}, 8000, 48, 1.2},
                         {"four devices",
                          {{200, 0.05}, {600, 0.2, 0.5}, {600, 0.2, 0.6}, {600, 0.2, 0.5}, {600, 0.2, 0.7}},
                          15360,
                          60,
                          1.25}}) {
    Machine machine(each.members);
    const double seconds = machine.run(each.frames, each.group);
    double paces = 0;
    for (const Machine::One& one : each.members) paces += one.pace;
    EXPECT_LT(seconds, each.most * (0.7 + static_cast<double>(each.frames) / paces)) << each.name;
    for (const Machine::One& one : machine.members) EXPECT_GT(one.scored, 0) << each.name;
  }
}

TEST(RunRanges, NobodyTakesWhatAnotherWouldFinishSooner) {
  Machine machine({{1000, 0.05}, {1000, 0.2, 0.9}});
  EXPECT_LT(machine.run(1000, 24), 1.1);
  EXPECT_EQ(machine.members[1].scored, 0);
  Machine whole({{400, 0.05}, {1000, 0.2, 0.5}});  // there is no place for a cut
  whole.run(2000, 100000);
  EXPECT_EQ(whole.members[1].scored, 0);
}

TEST(RunRanges, WhatAMemberLeavesOthersScore) {
  for (const int64_t fails_at : {400, 401, 1999, 3839}) {
    Machine machine({{400, 0.05}, {1000, 0.2, 0.5, fails_at}});
    machine.run(3840, 60);
    Machine two({{200, 0.05}, {800, 0.2, 0.5, fails_at}, {600, 0.2, 0.6}});
    two.run(3840, 60);
  }
}

TEST(RunRanges, NobodyIsFarAheadOfWhatWasDelivered) {
  Machine machine({{400, 0.05}, {1000, 0.2, 0.5}, {900, 0.2, 0.5}});
  machine.run(30000, 60);
  EXPECT_LE(machine.furthest, RunRanges::kWindow + 60);
}

TEST(RunRanges, AreGivenOutInOrder) {
  double now = 0;
  RunRanges ranges(kHost, [&] { return now; });
  for (int64_t frame = 0; frame < 100; ++frame, now += 0.01)
    EXPECT_TRUE(ranges.may_use(*ranges.first_range(), frame));
  const size_t device = ranges.add_member(kDevice);
  EXPECT_EQ(ranges.take_now(device), nullptr) << "nobody knows the places";
  ranges.open({120, 140, 250, 320}, 1000);
  const auto taken = ranges.take_now(device);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->first, 320) << "a second ahead, and an eighth of the rest";
  EXPECT_EQ(taken->end, 1000);
  EXPECT_TRUE(ranges.may_use(*ranges.first_range(), 319));
  EXPECT_FALSE(ranges.may_use(*ranges.first_range(), 320));
  ranges.finish(*ranges.first_range());
  EXPECT_TRUE(ranges.goes_on_at(320));
  EXPECT_EQ(ranges.range_at(320, {}), taken);
  EXPECT_FALSE(ranges.goes_on_at(1000));
  EXPECT_EQ(ranges.range_at(1000, {}), nullptr);
  ranges.give_back(*taken, 500);
  ranges.leave(0);
  EXPECT_EQ(ranges.range_at(500, {}), nullptr) << "nobody is left";
}

TEST(FindingsQueue, GivesWhatCameBeforeAnError) {
  FindingsQueue queue;
  queue.add({.found = {}, .warnings = {"one"}});
  queue.end(std::make_exception_ptr(Error(ErrorKind::kInput, "damaged")));
  EXPECT_EQ(queue.take({}).value().warnings, std::vector<std::string>{"one"});
  EXPECT_THROW(queue.take({}), Error);
  FindingsQueue waiting;
  EXPECT_FALSE(waiting.take(StopToken([] { return true; })));
}

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
    run.host_stages.clear();
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
