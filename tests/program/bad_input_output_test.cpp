// Bad input: outputs, standard descriptors, memory, other limits and locales. Outputs that are refused at
// once are in tests/program/messages/outputs.txt, allocations and threads that fail in tests/reliability.
#include <fcntl.h>
#include <sys/resource.h>

#include "tests/support/bad_input.h"
#include "tests/support/comma_locale.h"

namespace vq::cli::test {
namespace {

class BadInputOutput : public BadInputTest {
 protected:
  const std::string bytes_ = y4m_video({});
  const std::string video_ = made("a.y4m", bytes_);
};

// Nothing can be written there any more, and nothing is lost without a word.
TEST_F(BadInputOutput, AFolderThatGoesDuringTheRun) {
  const std::string folder = in_folder("sub"), report = in_folder("new.json");
  const auto run_without = [&](const Words& outputs) {
    fs::create_directory(folder);
    // More threads wait for more frames.
    RunningProgram program(joined(outputs, {"-", "--progress", "json", "--threads", "1"}));
    program.write_input(bytes_.substr(0, bytes_.size() / 2 + 100));
    EXPECT_TRUE(program.wait_for_error("{\"frames\": 1"));
    fs::remove_all(folder);
    program.write_input(bytes_.substr(bytes_.size() / 2 + 100));
    program.close_input();
    ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 5) << result.err;
    EXPECT_FALSE(fs::exists(folder));
    return result.err;
  };
  const std::string lost = run_without({"-o", folder + "/r.json", "-o", report});
  for (const std::string& file : {folder + "/r.json: ", folder + "/r.json.partial", report + ".partial"})
    EXPECT_THAT(lost, HasSubstr(file));
  EXPECT_EQ(scores_of(read_json(report + ".partial")).size(), 2U);
  fs::remove(report + ".partial");
  for (const char* format : {"png", "video", "gray"}) {
    SCOPED_TRACE(format);
    const std::string err = run_without({"--heatmaps", folder, "--heatmap-format", format, "-o", report});
    EXPECT_THAT(err, HasSubstr("error: " + folder + "/"));
    EXPECT_THAT(err, HasSubstr(report + ".partial"));
    EXPECT_FALSE(fs::exists(report));
    EXPECT_EQ(scores_of(read_json(report + ".partial")).size(), 2U);
    fs::remove(report + ".partial");
  }
}

TEST_F(BadInputOutput, NoPermission) {
  chmod(out().c_str(), 0444);
  fs::create_directory(in_folder("closed"));
  chmod(in_folder("closed").c_str(), 0555);
  refused({{{video_, "-o", out()}, 5, {"report.json", "Permission denied"}},
           {{video_, "-o", in_folder("closed/a.json")}, 5, {"closed/a.json", "Permission denied"}},
           {{video_, "--heatmaps", in_folder("closed/maps"), "-o", "-"},
            5,
            {"closed/maps", "Permission denied"}}},
          {.prepare = give_up_rights});
  fs::create_directory(in_folder("open"));
  chmod(in_folder("open").c_str(), 0777);
  run_well({video_, "-o", in_folder("open/a.json")}, {.prepare = give_up_rights});
  refused({{video_, "-o", "/sys/kernel/a.json"}, 5, {"/sys/kernel/a.json"}});
}

// A pipe that nobody reads any more as standard output.
void break_output() {
  int ends[2];
  if (pipe(ends) != 0) _exit(126);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]);
}

TEST_F(BadInputOutput, StandardOutput) {
  const auto closed = [] { close(STDOUT_FILENO); };
  scored({video_}, {}, {.prepare = closed});  // the report is what was asked for
  EXPECT_EQ(run_program({video_}, {.prepare = closed}).code, 5);
}

// Who stops reading wants no more text. What was asked for besides is written all the same.
TEST_F(BadInputOutput, AReaderOfStandardOutputThatLeavesCostsNothingElse) {
  constexpr int kPipeSignal = 128 + SIGPIPE;
  const auto quietly = [&](const Words& words) {
    const ProgramResult result = run_program(words, {.prepare = break_output});
    EXPECT_FALSE(result.signalled);
    EXPECT_EQ(message_lines(result.err).errors, Words{}) << result.err;
    return result.code;
  };
  for (const char* threads : {"1", "4"}) {
    SCOPED_TRACE(threads);
    const auto before = state();
    EXPECT_EQ(quietly({video_, "--threads", threads}), kPipeSignal);
    EXPECT_EQ(quietly({video_, "--threads", threads, "--stream-scores"}), kPipeSignal);
    EXPECT_EQ(quietly({"info", video_}), kPipeSignal);
    EXPECT_EQ(quietly({"--help"}), kPipeSignal);
    EXPECT_EQ(quietly({video_, "--threads", threads, "-q", "-o", "-"}), kPipeSignal);
    EXPECT_EQ(state(), before);
    const std::string report = in_folder("new.json"), maps = in_folder("maps");
    for (const Words& more : {Words{"--stream-scores"}, Words{}, Words{"-o", "-"}}) {
      EXPECT_EQ(quietly(joined({video_, "--threads", threads, "-o", report, "--heatmaps", maps}, more)), 0);
      EXPECT_EQ(scores_of(read_json(report)).size(), 2U);
      EXPECT_FALSE(fs::is_empty(maps));
      fs::remove_all(maps);
      fs::remove(report);
    }
  }
  const ProgramResult limited = run_program({video_, "--fail-above", "max>0"}, {.prepare = break_output});
  EXPECT_EQ(limited.code, 7);
}

// A pipe that is read late, by a program that opened it without blocking.
TEST_F(BadInputOutput, AStandardOutputThatDoesNotBlockIsWaitedFor) {
  const std::string many = made("many.y4m", y4m_video({.width = 216, .height = 16, .frames = 2000}));
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  RunningProgram program({many, "-q", "--progress", "json", "--stream-scores"},
                         {.prepare = [&] { dup2(ends[1], STDOUT_FILENO); }});
  close(ends[1]);
  std::string text;
  char buffer[4096];
  fcntl(ends[0], F_SETFL, 0);
  program.wait_for_error("{\"frames\": ");
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(size));
  close(ends[0]);
  EXPECT_EQ(program.wait().code, 0);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2000);
}

TEST_F(BadInputOutput, HeatmapsOnAFullDisk) {
  fs::create_directory(in_folder("maps"));
  const std::string finest = made("maps/cambi_heatmap_scale_0_320x240_16b.gray", "old");
  const auto before = state();
  const auto limit = [] {
    const rlimit small{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &small);
  };
  for (const int threads : {1, 4}) {
    const ProgramResult result = run({video_, "--heatmaps", in_folder("maps"), "--heatmap-format", "gray"},
                                     threads, {.prepare = limit});
    EXPECT_EQ(result.code, 5);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("cambi_heatmap_scale_0_320x240_16b.gray"), HasSubstr("File too large")));
    EXPECT_EQ(state(), before);
  }
}

TEST_F(BadInputOutput, StandardErrorClosedOrFull) {
  const auto expected = scored({video_});
  EXPECT_EQ(scored({video_}, {}, {.prepare = [] { close(STDERR_FILENO); }}), expected);
  EXPECT_EQ(scored({video_}, {}, {.prepare = [] { dup2(open("/dev/full", O_WRONLY), STDERR_FILENO); }}),
            expected);
  const auto close_all = [] {
    for (const int fd : {STDIN_FILENO, STDERR_FILENO}) close(fd);
  };
  for (const int threads : {1, 4}) {
    EXPECT_EQ(run({in_folder("none")}, threads, {.prepare = close_all}).code, 2);
    EXPECT_EQ(run({video_, "--nonsense"}, threads, {.prepare = close_all}).code, 1);
  }
  EXPECT_EQ(read_file(video_), bytes_);
}

using BadInputLimits = BadInputTest;

// A frame of 16K, all black: a hole of a file.
std::string large_video(const std::string& path) {
  write_file(path, "YUV4MPEG2 W16384 H8192 F24:1 Cmono\nFRAME\n");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 16384 * 8192);
  return path;
}

TEST_F(BadInputLimits, LittleAddressSpace) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need an address space of their own";
  const std::string video = large_video(in_folder("large.y4m"));
  const auto limit = [] {
    const rlimit small{rlim_t{400} << 20, rlim_t{400} << 20};
    setrlimit(RLIMIT_AS, &small);
  };
  const auto before = state();
  for (const char* more : {"--quiet", "--max-memory=100G"}) {
    for (const int threads : {1, 4}) {
      const ProgramResult result = run({video, more, "--window-size", "31"}, threads, {.prepare = limit});
      EXPECT_EQ(result.code, 8) << result.err;
      EXPECT_EQ(message_lines(result.err).errors.size(), 1U) << result.err;
      EXPECT_EQ(state(), before);
    }
  }
}

// Threads get stacks that are large enough all the same.
TEST_F(BadInputLimits, LittleStack) {
  const auto limit = [] {
    const rlimit small{rlim_t{64} << 10, rlim_t{64} << 10};
    setrlimit(RLIMIT_STACK, &small);
  };
  const std::string video = made("small.y4m", y4m_video({}));
  const Words words = {"-r", video, "-d", video, "--model", "auto", "-q", "-o", in_folder("stack.json")};
  run_well(words, {.prepare = limit});
}

TEST_F(BadInputLimits, DecimalPointsInEveryLocale) {
  const CommaLocale locale;
  const std::string video = made("a.y4m", y4m_video({.frames = 1}));
  const ProgramOptions german{.environment = {{"LC_ALL", locale.name()}, {"LOCPATH", locale.folder()}}};
  const Words words = {video, "--feature", "cambi=topk=0.25"};
  EXPECT_EQ(scored(words, {}, german), scored(words));
  refused({{video, "--feature", "cambi=topk=0,25"}, 1, {"topk", "0,25"}}, german);
  EXPECT_THAT(run(words, 1, german).out, HasSubstr("cambi_topk_0.25"));
}

}  // namespace
}  // namespace vq::cli::test
