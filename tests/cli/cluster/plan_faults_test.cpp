// Plans of what is uncommon, and what becomes of plans, models and results that are damaged or change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "core/error.h"
#include "core/version.h"
#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"
#include "tests/support/synthetic_model.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

class PlanFaults : public testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string plan() const { return in_folder("plan.json"); }
  std::string result(int shard) const {
    return in_folder("plan.shards/0000/000000/00000" + std::to_string(shard) + ".shard");
  }

  void make(const std::string& name, const std::string& encoder) const {
    run_ffmpeg("-f lavfi -i testsrc2=s=288x224:r=25 -frames:v 60 -pix_fmt yuv420p " + encoder + " " +
               in_folder(name));
  }

  // The report that plan, shards and merge make of it.
  nlohmann::json merged(const Words& words) const {
    fs::remove_all(in_folder("plan.shards"));
    Words all = {"plan", "-o", plan(), "--shard-frames", "10", "--quiet"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult planned = run_program(all);
    EXPECT_EQ(planned.code, 0) << planned.err;
    const int64_t shards = nlohmann::json::parse(read_file(plan())).at("shard_count");
    EXPECT_GT(shards, 1);
    const ProgramResult scored =
        run_program({"shard", plan(), "--index", "0-" + std::to_string(shards - 1), "--quiet"});
    EXPECT_EQ(scored.code, 0) << scored.err;
    return report({"merge", plan(), "-o", in_folder("out.json"), "--extended", "--precision", "max"});
  }
  nlohmann::json single(Words words) const {
    words.insert(words.end(), {"-o", in_folder("out.json"), "--extended", "--precision", "max", "--quiet"});
    return report(words);
  }
  nlohmann::json report(const Words& words) const {
    const ProgramResult run = run_program(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.code == 0 ? nlohmann::json::parse(read_file(in_folder("out.json"))) : nlohmann::json();
  }

  // Three shards of 20 frames, or so.
  void planned(const Words& more) const {
    make("d.mp4", kH264);
    Words words = {"plan", in_folder("d.mp4"), "-o", plan(), "--shards", "3", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult run = run_program(words);
    ASSERT_EQ(run.code, 0) << run.err;
  }
  ProgramResult shard(const std::string& index) const {
    return run_program({"shard", plan(), "--index", index, "--quiet"});
  }
  ProgramResult merge() const {
    return run_program({"merge", plan(), "-o", in_folder("out.json"), "--quiet"});
  }

  static constexpr const char* kH264 = "-c:v libx264 -preset ultrafast -g 10 -threads 1";
  TemporaryFolder folder_;
};

TEST_F(PlanFaults, SaysOfWhichVideoAPartIs) {
  const StreamPart one{.picture = 1, .time = 2, .seek = 3, .end = 4, .end_time = {}};
  const StreamPart other{.picture = 5, .time = 6, .seek = 7, .end = 8, .end_time = 9};
  PlannedTitle title;
  title.name = "a";
  title.distorted.file.path = "/a";
  title.reference.emplace().file.path = "/r";
  title.shards = {{.first = 0, .end = 1, .lead = 0, .distorted = {}, .reference = {}},
                  {.first = 1, .end = 2, .lead = 1, .distorted = one, .reference = {}},
                  {.first = 2, .end = 3, .lead = 1, .distorted = {}, .reference = other},
                  {.first = 3, .end = -1, .lead = 1, .distorted = other, .reference = one}};
  PlanWriter writer(plan(), {.version = version(), .results = "/results", .arguments = {}, .id = {}});
  writer.add(title);
  writer.commit();
  EXPECT_EQ(PlanFile(plan()).title_of_shard(0), title);
}

// Uncompressed video has no parts, video in a container has.
TEST_F(PlanFaults, MixedPairsAreWhatOneRunWrites) {
  make("d.y4m", "");
  make("d.mp4", kH264);
  // Whose ticks are frames: numbers of one video are plausible ones of the other.
  make("ticks.mp4", std::string(kH264) + " -bf 0 -video_track_timescale 25");
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"d.y4m", "ticks.mp4"}, {"d.y4m", "d.mp4"}, {"d.mp4", "d.y4m"}};
  for (const auto& [distorted, reference] : pairs) {
    for (const Words& flags :
         {Words{}, {"--frame_skip_dist=3"}, {"--frame_skip_ref=3"}, {"--align=-3", "--crop=200:100:8:8"}}) {
      Words words = flags;
      words.insert(words.end(), {in_folder(distorted), "-r", in_folder(reference), "--feature",
                                 "psnr=enable_chroma=false", "--compare-anyway"});
      SCOPED_TRACE(testing::PrintToString(words));
      const nlohmann::json parts = merged(words), whole = single(words);
      ASSERT_TRUE(parts.is_object() && whole.is_object());
      EXPECT_EQ(parts.at("frames"), whole.at("frames"));
      EXPECT_EQ(parts.at("pooled_metrics"), whole.at("pooled_metrics"));
      EXPECT_EQ(parts.at("run").at("inputs"), whole.at("run").at("inputs"));
    }
  }
}

TEST_F(PlanFaults, AModelThatChangesIsRefused) {
  const std::string model = in_folder("m.json");
  write_file(model, synthetic_model({"Cambi_feature_cambi_score"}).dump());
  const std::string before = read_file(model);
  const fs::file_time_type time = fs::last_write_time(model);
  make("d.mp4", kH264);
  planned({"-r", in_folder("d.mp4"), "--model", "path=" + model});
  EXPECT_EQ(shard("0,1").code, 0);
  // Of the same size and time: its content is looked at.
  const size_t digit = before.find_first_of("123456789");
  ASSERT_NE(digit, std::string::npos);
  std::string changed = before;
  changed[digit] = changed[digit] == '9' ? '8' : static_cast<char>(changed[digit] + 1);
  write_file(model, changed);
  fs::last_write_time(model, time);
  for (const ProgramResult& run : {shard("2"), merge()}) {
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(model));
  }
  EXPECT_FALSE(fs::exists(result(2)));
  EXPECT_EQ(run_program({"merge", plan(), "--reports", in_folder("reports"), "--quiet"}).code, 2);
  write_file(model, before);
  fs::last_write_time(model, time);
  EXPECT_EQ(shard("2").code, 0);
  EXPECT_EQ(merge().code, 0);
}

TEST_F(PlanFaults, ADamagedResultIsNamedAndScoredAgain) {
  planned({});
  EXPECT_EQ(shard("0-2").code, 0);
  const std::string whole = read_file(result(1));
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  const auto damage = [&] { write_file(result(1), damaged); };
  damage();
  const ProgramResult merged = merge();
  EXPECT_EQ(merged.code, 6);
  EXPECT_THAT(merged.err, testing::AllOf(HasSubstr("damaged"), HasSubstr(result(1))));
  EXPECT_EQ(shard("1").code, 0);
  EXPECT_EQ(merge().code, 0);
  damage();
  const ProgramResult submitted =
      run_program({"submit", plan(), "--engine", "local", "-o", in_folder("out.json"), "--quiet"});
  EXPECT_EQ(submitted.code, 0) << submitted.err;
}

TEST_F(PlanFaults, NamesThatAreNotUtf8CannotBePlanned) {
  make("d.mp4", kH264);
  fs::create_directory(in_folder("v"));
  fs::copy(in_folder("d.mp4"), in_folder("v/x\xFF.mp4"));
  const ProgramResult alone = run_program({"plan", in_folder("v"), "-o", plan(), "--quiet"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(message_lines(alone.err).errors, SizeIs(1));
  EXPECT_THAT(alone.err, HasSubstr("x\\xff.mp4"));
  EXPECT_FALSE(fs::exists(plan()));
  fs::copy(in_folder("d.mp4"), in_folder("v/y.mp4"));
  EXPECT_EQ(run_program({"plan", in_folder("v"), "-o", plan(), "--quiet"}).code, 2) << "of the one";
  const nlohmann::json made = nlohmann::json::parse(read_file(plan()));
  EXPECT_EQ(made.at("title_count"), 1);
  EXPECT_EQ(made.at("titles").at(0).at("name"), "y.mp4");
  EXPECT_EQ(
      run_program({"plan", in_folder("v/y.mp4"), "-o", plan(), "--results", in_folder("r\xFF"), "--quiet"})
          .code,
      2);
}

TEST_F(PlanFaults, AnInterruptOfShardsOnThisMachineIsTold) {
  run_ffmpeg(
      "-f lavfi -i testsrc2=s=1280x720:r=25 -frames:v 400 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -g "
      "10 " +
      in_folder("d.mp4"));
  ASSERT_EQ(run_program({"plan", in_folder("d.mp4"), "-o", plan(), "--shards", "40", "--quiet"}).code, 0);
  RunningProgram run(
      {"submit", plan(), "--engine", "local", "-o", in_folder("out.json"), "--progress", "json"});
  ASSERT_TRUE(run.wait_for_error("\"done\""));
  run.send(SIGTERM);
  const ProgramResult ended = run.wait();
  EXPECT_EQ(ended.code, 128 + SIGTERM);
  EXPECT_THAT(message_lines(ended.err).errors, SizeIs(1));
  EXPECT_THAT(ended.err, HasSubstr("interrupted"));
}

}  // namespace
}  // namespace vq::cli::test
