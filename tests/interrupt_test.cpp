// Signals that ask the program to stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/run_program.h"
#include "tests/test_video.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const VideoShape kShape{.frames = 16};

class InterruptTest : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  int signal() const { return std::get<0>(GetParam()); }
  std::string threads() const { return std::to_string(std::get<1>(GetParam())); }
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }

  // Goes on with the frames of kShape until the program takes no more, and says how many were offered. One
  // that does not stop takes kMany of them.
  static constexpr int kMany = 2000;
  static int offer_frames(RunningProgram& program) {
    int frames = 0;
    try {
      for (; frames < kMany; ++frames)
        program.write_input("FRAME\n" + frame_bytes(kShape, kShape.frames + frames));
    } catch (const std::runtime_error&) {  // it reads no more
    }
    return frames;
  }

 private:
  TemporaryFolder folder_;

 protected:
  const std::string out_ = in_folder("report.json");
};

TEST_P(InterruptTest, OnceKeepsWhatWasScored) {
  write_file(out_, "old");
  const std::string maps = in_folder("maps");
  RunningProgram program({"-", "--progress", "json", "--threads", threads(), "-o", out_, "--extended",
                          "--precision", "max", "--heatmaps", maps});
  program.write_input(y4m_video(kShape));
  ASSERT_TRUE(program.wait_for_error("{\"frames\": 1"));
  program.send(signal());
  const int offered = offer_frames(program);
  EXPECT_LT(offered, kMany);
  const ProgramResult result = program.wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, 128 + signal());
  EXPECT_THAT(result.err, HasSubstr("cambi: error: interrupted after"));
  EXPECT_EQ(read_file(out_), "old");

  const json partial = json::parse(read_file(out_ + ".partial"));
  EXPECT_EQ(partial.at("run").at("complete"), false);
  const size_t frames = partial.at("frames").size();
  ASSERT_GE(frames, 1U);
  VideoShape shape = kShape;
  shape.frames += offered;
  EXPECT_LE(frames, static_cast<size_t>(shape.frames));
  ASSERT_EQ(run_program({"-", "-o", out_, "--precision", "max"}, {.input = y4m_video(shape)}).code, 0);
  const json whole = json::parse(read_file(out_));
  for (size_t i = 0; i < frames; ++i)
    EXPECT_EQ(partial.at("frames")[i].at("metrics"), whole.at("frames")[i].at("metrics"));

  const std::string finest = maps + "/cambi_heatmap_scale_0_320x240_16b.gray";
  EXPECT_FALSE(std::filesystem::exists(finest));
  EXPECT_EQ(read_file(finest + ".partial").size(), frames * 320 * 240 * 2);
}

TEST_P(InterruptTest, OnceWhileASilentPipeIsOpened) {
  const std::string pipe = in_folder("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& input : {std::string("-"), pipe}) {
    RunningProgram program({input, "--threads", threads(), "-o", out_});
    program.wait_until_caught(signal());
    program.send(signal());
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 128 + signal()) << result.err;
    EXPECT_EQ(result.err, "cambi: error: interrupted\n");
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_FALSE(std::filesystem::exists(out_ + ".partial"));
  }
}

// Whatever else reads: a program that does not hear the signal is killed by its time limit.
TEST_P(InterruptTest, OnceWhileInfoWaitsForASilentPipe) {
  const std::string pipe = in_folder("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& input : {std::string("-"), pipe}) {
    RunningProgram program({"info", input});
    program.wait_until_caught(signal());
    program.send(signal());
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 128 + signal()) << result.err;
    EXPECT_EQ(result.err, "cambi: error: interrupted\n");
  }
}

TEST_P(InterruptTest, TwiceEndsAtOnce) {
  // Nobody reads the report: the program waits where the first signal cannot reach it.
  const std::string pipe = in_folder("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  RunningProgram program({"-", "--progress", "json", "--threads", threads(), "-o", pipe});
  program.write_input(y4m_video(kShape));
  program.close_input();
  ASSERT_TRUE(program.wait_for_error("\"done\": true}\n"));
  program.send(signal());
  program.wait_until_taken(signal());
  program.send(signal());
  const ProgramResult result = program.wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, 128 + signal());
}

TEST_P(InterruptTest, WhatWasIgnoredAtTheStartStaysSo) {
  RunningProgram program({"-", "--progress", "json", "--threads", threads(), "-o", out_},
                         {.prepare = [this] { std::signal(signal(), SIG_IGN); }});
  program.write_input(y4m_video(kShape));
  ASSERT_TRUE(program.wait_for_error("{\"frames\": 1"));
  program.send(signal());
  program.close_input();
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(read_file(out_)).at("frames").size(), static_cast<size_t>(kShape.frames));
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest,
                         ::testing::Combine(::testing::Values(SIGINT, SIGTERM, SIGHUP),
                                            ::testing::Values(1, 4)),
                         [](const auto& instance) {
                           return std::string(sigabbrev_np(std::get<0>(instance.param))) + "_" +
                                  std::to_string(std::get<1>(instance.param)) + "_threads";
                         });

}  // namespace
}  // namespace vq::cli::test
