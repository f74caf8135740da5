// Signals that ask the program to stop.
#include <sys/stat.h>

#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

const VideoShape kInterruptedShape{.frames = 16};

class InterruptTest : public ::testing::TestWithParam<std::tuple<int, int>>, protected Folder {
 protected:
  int signal() const { return std::get<0>(GetParam()); }
  std::string threads() const { return std::to_string(std::get<1>(GetParam())); }
  std::string made_pipe() const {
    std::string pipe = in_folder("pipe");
    if (mkfifo(pipe.c_str(), 0600) != 0) throw std::runtime_error("cannot make " + pipe);
    return pipe;
  }
  static Words names(const std::string& folder) {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename());
    return names;
  }

  // The program, once it has scored a frame of kInterruptedShape.
  std::unique_ptr<RunningProgram> scoring(const Words& more, const ProgramOptions& options = {}) const {
    const Words words = {"-", "--progress", "json", "--threads", threads(), "-o", out_};
    auto program = std::make_unique<RunningProgram>(joined(words, more), options);
    program->write_input(y4m_video(kInterruptedShape));
    EXPECT_TRUE(program->wait_for_error("{\"frames\": 1"));
    return program;
  }

  // Goes on with the frames of kInterruptedShape until the program takes no more, and says how many were
  // offered. One that does not stop takes kMany of them.
  static constexpr int kMany = 2000;
  static int offer_frames(RunningProgram& program) {
    int frames = 0;
    try {
      for (; frames < kMany; ++frames)
        program.write_input("FRAME\n" + frame_bytes(kInterruptedShape, kInterruptedShape.frames + frames));
    } catch (const std::runtime_error&) {  // it reads no more
    }
    return frames;
  }

  const std::string out_ = in_folder("report.json");
};

TEST_P(InterruptTest, OnceKeepsWhatWasScored) {
  write_file(out_, "old");
  const std::string maps = in_folder("maps");
  const auto program = scoring({"--extended", "--precision", "max", "--heatmaps", maps, "--heatmap-format",
                                "gray,png,video", "--html", in_folder("page.html")});
  program->send(signal());
  const int offered = offer_frames(*program);
  EXPECT_LT(offered, kMany);
  const ProgramResult result = program->wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, 128 + signal());
  EXPECT_EQ(read_file(out_), "old");

  const json partial = read_json(out_ + ".partial");
  EXPECT_EQ(partial.at("run").at("complete"), false);
  const size_t frames = partial.at("frames").size();
  ASSERT_GE(frames, 1U);
  VideoShape shape = kInterruptedShape;
  shape.frames += offered;
  EXPECT_LE(frames, static_cast<size_t>(shape.frames));
  ASSERT_EQ(run_program({"-", "-o", out_, "--precision", "max"}, {.input = y4m_video(shape)}).code, 0);
  const json whole = read_json(out_);
  for (size_t i = 0; i < frames; ++i)
    EXPECT_EQ(partial.at("frames")[i].at("metrics"), whole.at("frames")[i].at("metrics"));

  const std::string finest = maps + "/cambi_heatmap_scale_0_320x240_16b.gray";
  EXPECT_FALSE(std::filesystem::exists(finest));
  EXPECT_EQ(read_file(finest + ".partial").size(), frames * 320 * 240 * 2);
  EXPECT_FALSE(std::filesystem::exists(in_folder("page.html")));
  EXPECT_THAT(read_file(in_folder("page.partial.html")), HasSubstr("<!doctype html>"));
  EXPECT_THAT(names(maps), IsSupersetOf({"stdin.cambi.partial.mp4"}));
  // What there is is told, and where.
  EXPECT_THAT(result.err, HasSubstr(" " + std::to_string(frames)));
  for (const char* kept : {"report.json.partial (", "page.partial.html (", "stdin.cambi.partial.mp4 ("})
    EXPECT_THAT(result.err, HasSubstr(kept));
  EXPECT_EQ(result.out, "");
}

// Whatever reads it: a program that does not hear the signal is killed by its time limit.
TEST_P(InterruptTest, OnceWhileASilentPipeIsRead) {
  const std::string pipe = made_pipe(), page = in_folder("page.html");
  for (const Words& words : std::vector<Words>{{"-", "--threads", threads(), "-o", out_},
                                               {pipe, "--threads", threads(), "-o", out_},
                                               {"info", "-"},
                                               {"info", pipe},
                                               {"diff", "-", pipe},
                                               {"diff", pipe, "-"},
                                               {"report", "-", "-o", page},
                                               {"report", pipe, "-o", page}}) {
    SCOPED_TRACE(::testing::PrintToString(words));
    RunningProgram program(words);
    program.wait_until_caught(signal());
    program.send(signal());
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 128 + signal()) << result.err;
    EXPECT_THAT(result.err, HasSubstr("interrupted"));
    EXPECT_EQ(names(in_folder("")), Words{"pipe"});
  }
}

TEST_P(InterruptTest, OnceWhereNobodyReadsAPipe) {
  const std::string pipe = made_pipe();
  write_file(out_, "old");
  RunningProgram program({"-", "--progress", "json", "--threads", threads(), "-o", out_, "-o", pipe});
  program.write_input(y4m_video(kInterruptedShape));
  program.close_input();
  // The report is complete beside its place before the pipe is opened.
  while (names(in_folder("")).size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send(signal());
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.code, 128 + signal());
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
  EXPECT_EQ(read_file(out_), "old");
  EXPECT_EQ(read_json(out_ + ".partial").at("frames").size(), static_cast<size_t>(kInterruptedShape.frames));
  EXPECT_THAT(names(in_folder("")),
              ::testing::UnorderedElementsAre("pipe", "report.json", "report.json.partial"));
}

// Both signals are there before the program can act on the first. Temporary files may stay, but nothing under
// a name of an output.
TEST_P(InterruptTest, TwiceEndsAtOnce) {
  write_file(out_, "old");
  const std::string maps = in_folder("maps");
  const auto program =
      scoring({"--heatmaps", maps, "--heatmap-format", "gray,png,video", "--heatmap-frames", "0-999"});
  const int other = signal() == SIGHUP ? SIGINT : SIGHUP;
  for (const int sent : {SIGSTOP, signal(), other, SIGCONT}) program->send(sent);
  const ProgramResult result = program->wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_THAT((std::set{128 + signal(), 128 + other}), Contains(result.code));
  EXPECT_EQ(read_file(out_), "old");
  EXPECT_THAT(names(in_folder("")), ::testing::UnorderedElementsAre("maps", "report.json"));
  const auto is_temporary = AllOf(StartsWith(".cambi-"), ::testing::EndsWith(".tmp"));
  EXPECT_THAT(names(maps), Each(is_temporary));
}

TEST_P(InterruptTest, WhatWasIgnoredAtTheStartStaysSo) {
  const auto program = scoring({}, {.prepare = [this] { std::signal(signal(), SIG_IGN); }});
  program->send(signal());
  program->close_input();
  const ProgramResult result = program->wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_json(out_).at("frames").size(), static_cast<size_t>(kInterruptedShape.frames));
}

// As by the program that becomes cambi-bench.
TEST_P(InterruptTest, WhatWasBlockedAtTheStartIsTaken) {
  const auto block = [this] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, signal());
    sigprocmask(SIG_BLOCK, &signals, nullptr);
  };
  const auto program = scoring({}, {.prepare = block});
  program->send(signal());
  EXPECT_EQ(program->wait().code, 128 + signal());
}

class CtrlCTest : public InterruptTest {};

TEST_P(CtrlCTest, KeepsWhatWasScored) {
  write_file(out_, "old");
  const Terminal terminal(80);
  const auto program = scoring({"--html", in_folder("page.html")}, {.prepare = [&] {
                                 setsid();
                                 dup2(terminal.open_screen(), STDOUT_FILENO);
                               }});
  terminal.type('\3');
  EXPECT_LT(offer_frames(*program), kMany);
  const ProgramResult result = program->wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, 128 + signal());
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
  EXPECT_EQ(read_file(out_), "old");
  EXPECT_THAT(names(in_folder("")),
              ::testing::UnorderedElementsAre("page.partial.html", "report.json", "report.json.partial"));
  EXPECT_GE(read_json(out_ + ".partial").at("frames").size(), 1U);
}

std::string parameters_of(const ::testing::TestParamInfo<std::tuple<int, int>>& instance) {
  const auto [signal, threads] = instance.param;
  return std::string(sigabbrev_np(signal)) + "_" + std::to_string(threads) + "_threads";
}
INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest,
                         ::testing::Combine(::testing::Values(SIGINT, SIGTERM, SIGHUP),
                                            ::testing::Values(1, 4)),
                         parameters_of);
INSTANTIATE_TEST_SUITE_P(Keys, CtrlCTest,
                         ::testing::Combine(::testing::Values(SIGINT), ::testing::Values(1, 4)),
                         parameters_of);

}  // namespace
}  // namespace vq::cli::test
