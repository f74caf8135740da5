#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/system/child_process.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;
using test::ProgramResult;
using test::run_program;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A plan of one title in several shards.
class LocalProgram : public ::testing::Test {
 protected:
  // Of 100 frames with a key frame every tenth.
  void make_plan(const std::string& size, const std::string& backend) {
    video_ = path("video.mkv");
    const ChildOutput made =
        run_child({"ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                   "gradients=seed=7:speed=0.02:rate=25:size=" + size, "-frames:v", "100", "-c:v", "libx264",
                   "-qp", "30", "-g", "10", "-pix_fmt", "yuv420p", video_});
    ASSERT_EQ(made.code, 0) << made.err;
    const ProgramResult plan = run_program(
        {"plan", video_, "--shard-frames", "20", "--backend", backend, "-o", path("plan.json"), "--quiet"});
    ASSERT_EQ(plan.code, 0) << plan.err;
  }
  ProgramResult submit(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"submit", path("plan.json"), "-o", path("merged.json"), "--engine",
                                      "local"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  void expect_as_single() const {
    const ProgramResult single = run_program(
        {video_, "--backend", "cpu", "--extended", "--precision", "max", "-q", "-o", path("single.json")});
    ASSERT_EQ(single.code, 0) << single.err;
    const ProgramResult diff =
        run_program({"diff", "--places", "17", path("single.json"), path("merged.json")});
    EXPECT_EQ(diff.code, 0) << diff.out << diff.err;
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  int64_t results() const {
    int64_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path("plan.shards")))
      count += entry.path().extension() == ".shard";
    return count;
  }

  test::TemporaryFolder folder_;
  std::string video_;
};

TEST_F(LocalProgram, ScoresAPlanAsASingleRunDoes) {
  make_plan("320x180", "cpu");
  const ProgramResult result = submit({"--precision", "max", "--extended", "--progress", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("\"event\": \"finish\""), HasSubstr("\"percent\": 100.0")));
  EXPECT_EQ(results(), 5);
  expect_as_single();
}

TEST_F(LocalProgram, PrintsAScriptThatDoesTheSame) {
  make_plan("320x180", "cpu");
  const ProgramResult script = submit({"--dry-run", "--precision", "max", "--extended"});
  EXPECT_EQ(script.code, 0) << script.err;
  EXPECT_FALSE(fs::exists(path("plan.shards")));
  const ChildOutput output = run_child({"sh", "-c", script.out});
  EXPECT_EQ(output.code, 0) << output.err;
  expect_as_single();
}

TEST_F(LocalProgram, EndsWithTheCodeOfTheMerge) {
  make_plan("320x180", "cpu");
  EXPECT_EQ(submit({"--fail-above", "mean>=0"}).code, 7);
  EXPECT_EQ(submit({"--fail-above", "mean>100"}).code, 0);
}

TEST_F(LocalProgram, TellsOfAVideoThatChanged) {
  make_plan("320x180", "cpu");
  std::ofstream(video_, std::ios::app) << "more";
  EXPECT_EQ(submit({"--quiet"}).code, 6);
  EXPECT_FALSE(fs::exists(path("merged.json")));
}

TEST_F(LocalProgram, StopsItsShardsAndGoesOnLater) {
  make_plan("640x360", "scalar");
  {
    test::RunningProgram program(
        {"submit", path("plan.json"), "-o", path("merged.json"), "--engine", "local", "--progress", "json"});
    ASSERT_TRUE(program.wait_for_error("\"event\": \"progress\""));
    program.send(SIGTERM);
    EXPECT_EQ(program.wait().code, 128 + SIGTERM);
  }
  EXPECT_FALSE(fs::exists(path("merged.json")));
  // No process of it is left that would write a result.
  const ChildOutput left = run_child({"pgrep", "-f", path("plan.json")});
  EXPECT_EQ(left.out, "");
  EXPECT_EQ(submit({"--quiet"}).code, 0);
  EXPECT_TRUE(fs::exists(path("merged.json")));
}

TEST_F(LocalProgram, NeedsAPlanAndForSlurmAScheduler) {
  test::write_file(path("plan.json"), "{}\n");
  EXPECT_EQ(submit().code, 2);
  fs::remove(path("plan.json"));
  make_plan("320x180", "cpu");
  const ProgramResult result = run_program({"submit", path("plan.json"), "--reports", path("r")},
                                           {.environment = {{"PATH", path("nothing")}}});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("--engine local"));
}

}  // namespace
}  // namespace vq::cli
