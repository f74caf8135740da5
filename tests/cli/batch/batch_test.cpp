// Verdicts and the files that tell them, whoever leaves and whatever fails; names that a runner must not take
// for commands.

#include "cli/batch/batch.h"
#include "cli/batch/rerender_moments.h"
#include "cli/reports/compare_files.h"
#include "cli/system/process.h"
#include "tests/support/bad_input.h"
#include "tests/support/report_test.h"
#include "tests/support/run_program.h"
#include "tests/support/threads_at_rest.h"

namespace vq::cli::test {
namespace {

const std::string kVideo = testdata("clips/static_640x360_8b.mp4");

class KeptVerdict : public FolderTest {
 protected:
  std::string saved(const std::string& name, const std::vector<double>& values) const {
    return made(name, write_report(run_of("a", values).report, {.format = ReportFormat::kJson}));
  }
  // What standard output is, in place of a file.
  static ProgramResult run_into(const std::function<int()>& opened, const Words& words) {
    ProgramOptions options;
    options.prepare = [opened] {
      const int descriptor = opened();
      dup2(descriptor, STDOUT_FILENO);
      close(descriptor);
    };
    return run_program(words, options);
  }
  static int left_pipe() {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) return -1;
    close(ends[0]);
    return ends[1];
  }
};

TEST_F(KeptVerdict, AReaderThatLeavesChangesNothing) {
  const std::string a = saved("a.json", {1, 2}), b = saved("b.json", {1, 3});
  EXPECT_EQ(run_into(left_pipe, {"diff", a, b, "--junit", in_folder("j.xml")}).code, 7);
  EXPECT_THAT(read_file(in_folder("j.xml")), HasSubstr("<failure"));
  EXPECT_EQ(run_into(left_pipe, {"diff", a, a}).code, 0);
  const Words batch = {"batch", kVideo, "--reports", in_folder("reports"), "--frame_cnt", "2"};
  EXPECT_EQ(run_into(left_pipe, batch).code, 0);
  EXPECT_EQ(run_into(left_pipe, joined(batch, {"--fail-above", "mean>-1"})).code, 7);
  EXPECT_EQ(run_into(left_pipe, {"compare", a, b, "--fail-above", "cambi:mean>-1"}).code, 7);
  EXPECT_EQ(run_into(left_pipe, {"compare", a, b}).code, 141);  // there was no other result
}

TEST_F(KeptVerdict, EveryFailureHasItsJunitFile) {
  const std::string junit = in_folder("j.xml"), nothing = in_folder("nothing.mp4");
  const auto fails = [&](int code, const Words& words) {
    std::filesystem::remove(junit);
    const ProgramResult result = run_program(joined(words, {"--junit", junit}));
    EXPECT_EQ(result.code, code) << result.err;
    ASSERT_TRUE(std::filesystem::exists(junit)) << words[0] << " " << words[1];
    EXPECT_THAT(read_file(junit), HasSubstr("<error"));
  };
  fails(5, {kVideo, "-o", in_folder("none/x.json"), "--extended"});
  fails(2, {"compare", kVideo, nothing});
  fails(2, {"batch", nothing, kVideo, "--reports", in_folder("reports")});
  fails(1, {"batch", kVideo, "--reports", in_folder("reports"), "--fail-above", "xyz:mean>3"});
  fails(1, {"compare", kVideo, kVideo, "--fail-above", "xyz:mean>3"});
  fails(5, {"gate", kVideo, "--backends", "cpu,scalar", "-o", in_folder("none/x.json")});
  fails(2, {"merge", nothing, "-o", in_folder("m.json")});
}

TEST_F(KeptVerdict, AnInputIsNeverWrittenOver) {
  const std::string copy = in_folder("copy.mp4");
  std::filesystem::copy_file(kVideo, copy);
  const auto size = std::filesystem::file_size(copy);
  EXPECT_NE(run_program({copy, "--junit", copy}).code, 0);
  EXPECT_NE(run_program({"compare", copy, kVideo, "--junit", copy}).code, 0);
  EXPECT_NE(run_program({"batch", copy, kVideo, "--reports", in_folder("reports"), "--junit", copy}).code, 0);
  EXPECT_EQ(std::filesystem::file_size(copy), size);
}

TEST_F(KeptVerdict, NamesAreNoCommandsToARunner) {
  const std::string name = "::error file=x::hi.mp4";
  std::filesystem::copy_file(kVideo, in_folder(name));
  ProgramOptions in_step{.environment = {{"GITHUB_ACTIONS", "true"}}};
  const std::string folder = folder_.path();
  in_step.prepare = [folder] { (void)!chdir(folder.c_str()); };
  const auto begins_a_command = [](const std::string& text) {
    for (size_t at = 0; at < text.size();
         at = text.find('\n', at) == text.npos ? text.size() : text.find('\n', at) + 1) {
      const size_t word = text.find_first_not_of(" \t", at);
      if (word != text.npos && text.compare(word, 2, "::") == 0) return true;
    }
    return false;
  };
  for (const Words& words :
       {Words{name, "--frame_cnt", "2"}, {"batch", name, "--reports", "r", "--frame_cnt", "2"}}) {
    const ProgramResult result = run_well(words, in_step);
    EXPECT_THAT(result.out, HasSubstr("./::error")) << words[0];
    EXPECT_FALSE(begins_a_command(result.out)) << result.out;
    EXPECT_FALSE(begins_a_command(result.err)) << result.err;
  }
  in_step.environment.clear();
  in_step.environment["GITHUB_ACTIONS"] = "";
  EXPECT_THAT(run_program({name, "--frame_cnt", "2"}, in_step).out, StartsWith(name));
}

TEST_F(KeptVerdict, OldCommandsOfARunnerAreNoneEither) {
  setenv("GITHUB_ACTIONS", "true", 1);
  EXPECT_EQ(without_commands("a ##[error]b\n  ::x\r::y\n:z"), "a #\\#[error]b\n  ./::x\r./::y\n:z");
  unsetenv("GITHUB_ACTIONS");
  EXPECT_EQ(without_commands("::x ##[y]"), "::x ##[y]");
}

TEST(ThreadShares, LargerPicturesGetMore) {
  EXPECT_EQ(useful_threads(640 * 360), 1);
  EXPECT_EQ(useful_threads(1280 * 720), 1);
  EXPECT_EQ(useful_threads(1920 * 1080), 2);
  EXPECT_EQ(useful_threads(4096 * 2160), 4);
  EXPECT_EQ(useful_threads(7680 * 4320), 8);
}

TEST(ThreadShares, MoreThanThereAreIsAll) {
  ThreadShares shares(3);
  EXPECT_EQ(shares.take(100), 3);
  shares.give_back(3);
  EXPECT_EQ(shares.take(0), 1);
  EXPECT_EQ(shares.take(2), 2);
}

TEST(ThreadShares, WhoFindsTooFewWaits) {
  ThreadShares shares(2);
  ASSERT_EQ(shares.take(2), 2);
  std::atomic<int> taken = -1;
  std::jthread user([&] { taken = shares.take(2); });
  vq::test::wait_until_others_sleep();
  EXPECT_EQ(taken, -1);
  shares.give_back(2);
  user.join();
  EXPECT_EQ(taken, 2);
}

TEST(ThreadShares, NobodyWaitsOnceItIsStopped) {
  std::atomic<bool> stopped = false;
  ThreadShares shares(3, StopToken([&] { return stopped.load(); }));
  ASSERT_EQ(shares.take(2), 2);
  std::atomic<int> taken = -1;
  std::jthread user([&] { taken = shares.take(2); });
  vq::test::wait_until_others_sleep();
  EXPECT_EQ(taken, -1);
  stopped = true;
  user.join();
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(shares.take(2), 0);
}

TEST(ThreadShares, GivesWhatIsAskedForAndNeverMoreThanThereAre) {
  constexpr int kShared = 5;
  ThreadShares shares(kShared);
  std::atomic<int> used = 0, most = 0, done = 0, short_of = 0;
  std::vector<std::jthread> users;
  for (int i = 0; i < 8; ++i) {
    users.emplace_back([&, i] {
      for (int k = 0; k < 200; ++k) {
        const int wanted = 1 + (i + k) % 7, taken = shares.take(wanted);
        if (taken != std::min(wanted, kShared)) ++short_of;
        const int now = used += taken;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        used -= taken;
        shares.give_back(taken);
      }
      ++done;
    });
  }
  users.clear();
  EXPECT_EQ(done, 8);
  EXPECT_EQ(short_of, 0);
  EXPECT_LE(most, kShared);
}

struct BatchDesk {
  double now = 0;
  std::string text;

  ProgressPort port() {
    return {[this] { return now; }, [this](std::string_view more) { text += more; }, [] { return 120; }};
  }
  std::string take() { return std::exchange(text, {}); }
};

VideoOutcome outcome(VideoOutcome::State state) {
  VideoOutcome outcome;
  outcome.name = "s1/e1.mkv";
  outcome.state = state;
  if (state == VideoOutcome::State::kFailed) outcome.error = ErrorKind::kInput;
  outcome.message = "cut";
  return outcome;
}

ListedVideo listed(const std::string& name, int64_t bytes) {
  return {.path = {}, .reference = {}, .name = name, .bytes = bytes};
}

const std::vector<ListedVideo> kVideos = {listed("s1/e1.mkv", 100), listed("s1/e2.mkv", 300),
                                          listed("s1/e3.mkv", 600)};

TEST(BatchProgress, ShowsTheShareOfAllBytes) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kBar}, desk.port(), kVideos);
  progress.begin(1, 10);
  desk.now = 1;
  for (int i = 0; i < 5; ++i) progress.frame(1);
  // Half of 300 of 1000 bytes in a second: 5.67 are left.
  desk.now = 1.2;
  desk.take();
  progress.frame(1);
  EXPECT_THAT(desk.take(), HasSubstr("0/3 videos  18%"));
  progress.end(1, outcome(VideoOutcome::State::kScored));
  progress.begin(0, std::nullopt);
  desk.now = 3;
  progress.frame(0);
  const std::string line = desk.take();
  EXPECT_THAT(line, HasSubstr("1/3 videos  30%"));
  EXPECT_THAT(line, HasSubstr("0:07 left"));
  EXPECT_THAT(line, HasSubstr("e1.mkv"));
  EXPECT_THAT(line, Not(HasSubstr("failed")));
}

TEST(BatchProgress, WhatIsKeptIsNoWork) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kBar}, desk.port(), kVideos);
  progress.end(2, outcome(VideoOutcome::State::kKept));
  progress.end(1, outcome(VideoOutcome::State::kFailed));
  progress.begin(0, 4);
  desk.now = 1;
  progress.frame(0);
  const std::string line = desk.take();
  EXPECT_THAT(line, HasSubstr("2/3 videos  81%"));  // 300 and a fourth of 100, of 400
  EXPECT_THAT(line, HasSubstr("1 failed"));
}

TEST(BatchProgress, AVideoThatIsPutOffIsNotCounted) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kJson}, desk.port(), kVideos);
  progress.begin(0, 4);
  progress.end(0, outcome(VideoOutcome::State::kLeft));
  progress.finish();
  EXPECT_THAT(desk.take(), HasSubstr("\"ended\": 0, \"failed\": 0"));
}

TEST(BatchProgress, TellsProgramsInJson) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kJson}, desk.port(), {listed("a\"b\n.mkv", 1)});
  progress.begin(0, std::nullopt);
  desk.now = 2;
  progress.frame(0);
  progress.end(0, outcome(VideoOutcome::State::kFailed));
  progress.finish();
  std::istringstream lines(desk.take());
  std::vector<json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0],
            json({{"event", "begin"}, {"video", "a\"b\n.mkv"}, {"index", 0}, {"frames", nullptr}}));
  EXPECT_EQ(events[1].at("running")[0].at("frames"), 1);
  EXPECT_EQ(events[1].at("percent"), 0.0);
  EXPECT_EQ(events[2].at("state"), "failed");
  EXPECT_EQ(events[2].at("error"), "cut");
  EXPECT_EQ(events[3].at("elapsed_seconds"), 2.0);
}

TEST(BatchProgress, ALogHasALineForEachVideo) {
  BatchDesk desk;
  BatchProgress progress({.form = ProgressForm::kPlain}, desk.port(), kVideos);
  progress.begin(0, 1);
  progress.frame(0);
  VideoOutcome scored = outcome(VideoOutcome::State::kScored);
  scored.scores.emplace();
  scored.scores->frames = 24;
  scored.scores->metrics.push_back({.metric = {"cambi", {}}, .statistics = {{"mean", 1.25}}, .cells = {}});
  progress.end(0, scored);
  progress.end(1, outcome(VideoOutcome::State::kKept));
  progress.end(2, outcome(VideoOutcome::State::kFailed));
  progress.finish();
  EXPECT_EQ(desk.take(), "1/3  s1/e1.mkv  cambi 1.250  24 frames\n3/3  s1/e1.mkv  failed\n");
}

const std::string kClip = testdata("clips/sky_640x360_8b.mp4");

class RerenderMoments : public FolderTest {
 protected:
  NamedReport run_of_clip(const std::vector<std::string>& flags = {}) const {
    const std::string path = in_folder("run.json");
    std::vector<std::string> words = {"-d", kClip, "-q", "-o", path, "--extended"};
    words.insert(words.end(), flags.begin(), flags.end());
    EXPECT_EQ(run_program(words).code, 0);
    return {.name = "run", .report = read_report(path).report, .path = path};
  }
  static LookRequest request(const std::string& metric = "cambi") {
    return {.metric = metric, .moments = {7, 2, 99}, .limit = {320, 180}};
  }
};

TEST_F(RerenderMoments, ShowsTheFramesThatTheRunHas) {
  const NamedReport run = run_of_clip();
  const LookedAgain seen = rerender_moments(run, request());
  EXPECT_EQ(seen.remark, "");
  ASSERT_EQ(seen.pictures.size(), 2U);
  EXPECT_EQ(seen.pictures[0].frame, 2);
  EXPECT_EQ(seen.pictures[1].frame, 7);
  EXPECT_EQ(seen.pictures[1].score, run.report.metrics[0].values[7]);
  EXPECT_FALSE(seen.pictures[0].picture.bytes.empty());
  EXPECT_FALSE(seen.pictures[0].heat.bytes.empty());
}

TEST_F(RerenderMoments, FollowsTheOptionsAndTheAreaOfTheRun) {
  EXPECT_EQ(rerender_moments(run_of_clip({"--topk", "0.2"}), request("cambi_topk_0.2")).remark, "");
  EXPECT_EQ(rerender_moments(run_of_clip({"--crop", "320:180:100:60"}), request()).remark, "");
  const NamedReport part = run_of_clip({"--start", "1", "--end", "9"});
  EXPECT_EQ(rerender_moments(part, request()).pictures.size(), 2U);
}

TEST_F(RerenderMoments, AReferenceIsNotNeededForTheHeatMap) {
  const NamedReport run = run_of_clip({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--full-ref"});
  const LookedAgain seen = rerender_moments(run, request("cambi_full_reference"));
  EXPECT_EQ(seen.remark, "");
  ASSERT_EQ(seen.pictures.size(), 2U);
  EXPECT_FALSE(seen.pictures[0].heat.bytes.empty());
}

TEST_F(RerenderMoments, TheReferenceGivesItsSizeAndDifferences) {
  const NamedReport run = run_of_clip({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--feature", "psnr"});
  LookRequest asked = request("psnr_y");
  SharedReference source = look_at_reference({run, run}, asked);
  EXPECT_EQ(source.name, "sky_640x360_8b_ref.mp4");
  EXPECT_EQ(source.remark, "");
  int made = 0;
  asked.made = [&] { ++made; };
  asked.reference = source.stills;
  const std::vector<FramePicture> pictures = pictures_of_reference(asked);
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_EQ(pictures[0].frame, 2);
  EXPECT_FALSE(pictures[0].picture.bytes.empty());
  // As if the reference had been twice as large.
  for (auto& [frame, still] : source.stills) still = scaled_still(still, {640, 360});
  asked.reference = source.stills;
  const LookedAgain seen = rerender_moments(run, asked);
  ASSERT_EQ(seen.pictures.size(), 2U);
  EXPECT_EQ(made, 4);
  EXPECT_FALSE(seen.pictures[0].difference.bytes.empty());
  EXPECT_TRUE(seen.pictures[0].reference.bytes.empty());
  EXPECT_TRUE(seen.pictures[0].heat.bytes.empty());  // PSNR has none
  EXPECT_EQ(seen.pictures[0].scaled_from, (PlaneSize{640, 360}));
  EXPECT_EQ(rerender_moments(run, request("psnr_y")).pictures[0].scaled_from, PlaneSize());
}

TEST_F(RerenderMoments, RunsWithSeveralReferencesShareNone) {
  const NamedReport run = run_of_clip({"-r", testdata("clips/sky_640x360_8b_ref.mp4"), "--feature", "psnr"});
  NamedReport other = run;
  other.report.run.inputs[1].skipped = 1;
  EXPECT_EQ(look_at_reference({run, other}, request("psnr_y")).name, "");
  other = run;
  other.report.run.inputs[1].path = "elsewhere.mp4";
  EXPECT_EQ(look_at_reference({run, other}, request("psnr_y")).name, "");
  EXPECT_EQ(look_at_reference({other}, request("psnr_y")).remark,
            "There are no pictures of the reference: elsewhere.mp4 is not there, or cannot be read twice.");
  EXPECT_EQ(look_at_reference({run, run_of_clip()}, request("psnr_y")).name, "");
}

TEST_F(RerenderMoments, AVideoThatDoesNotFitHasNone) {
  const auto remark_of = [](const NamedReport& run) {
    const LookedAgain seen = rerender_moments(run, request());
    EXPECT_TRUE(seen.pictures.empty());
    return seen.remark;
  };
  const NamedReport run = run_of_clip();
  NamedReport other = run;
  *other.report.run.inputs[0].file_bytes += 1;
  EXPECT_THAT(remark_of(other), HasSubstr("There are no pictures of run: "));
  EXPECT_THAT(remark_of(other), HasSubstr("is not what was scored"));
  other = run;
  other.report.metrics[0].values[7] += 0.5;
  EXPECT_THAT(remark_of(other), HasSubstr("is not what was scored"));
  other = run;
  other.report.run.inputs[0].path = "nowhere.mp4";
  EXPECT_EQ(remark_of(other),
            "There are no pictures of run: nowhere.mp4 is not there, or cannot be read twice.");
  other.report.run = {};
  EXPECT_EQ(remark_of(other), "There are no pictures of run: its report does not name the video.");
  other = run;
  other.report.run.inputs[0].path = run.path;  // no video at all
  EXPECT_THAT(remark_of(other), HasSubstr("There are no pictures of run: "));
}

TEST_F(RerenderMoments, TheVideoMayLieBesideTheReport) {
  NamedReport run = run_of_clip();
  std::filesystem::copy_file(kClip, in_folder("moved.mp4"));
  run.report.run.inputs[0].path = "moved.mp4";
  EXPECT_EQ(rerender_moments(run, request()).pictures.size(), 2U);
}

}  // namespace
}  // namespace vq::cli::test
