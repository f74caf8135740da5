// The subcommand batch, run as a user would.
#include <sys/stat.h>

#include "cli/pages/page_assets.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

class BatchTest : public FolderTest {
 protected:
  // A video of two frames below videos/; its scores depend on the phase.
  std::string made(const std::string& name, int phase = 0) const {
    return written(name, y4m_video({.phase = phase}));
  }

  std::string written(const std::string& name, const std::string& content) const {
    const std::string path = in_folder("videos/" + name);
    fs::create_directories(fs::path(path).parent_path());
    write_file(path, content);
    return path;
  }

  // Scores videos/ into reports/.
  ProgramResult run(const Words& flags = {}) const {
    Words words = {"batch", in_folder("videos"), "--reports", in_folder("reports")};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_program(words);
  }

  json summary() const { return read_json(in_folder("reports/summary.json")); }

  json report(const std::string& name) const { return read_json(in_folder("reports/" + name + ".json")); }

  // Of the videos, in order.
  Words all(const char* member) const {
    Words values;
    const json whole = summary();
    for (const json& video : whole.at("videos"))
      values.push_back(video.at(member).is_null() ? "-" : video.at(member).get<std::string>());
    return values;
  }

  // A run over three videos that gets the signal while it scores the second.
  ProgramResult sent_in_the_second(int signal) const {
    made("a.y4m", 1);
    written("b.y4m", y4m_video({.width = 640, .height = 480, .frames = 400}));
    made("c.y4m", 2);
    RunningProgram program({"batch", in_folder("videos"), "--reports", in_folder("reports"), "--jobs", "1",
                            "--progress", "json"});
    EXPECT_TRUE(program.wait_for_error("\"begin\", \"video\": \"b.y4m\""));
    program.send(signal);
    ProgramResult result = program.wait();
    made("b.y4m", 3);  // the next run needs less time for it
    return result;
  }

  // What became of each video in a run that succeeds.
  Words states(const Words& flags = {}) const {
    const ProgramResult result = run(flags);
    EXPECT_EQ(result.code, 0) << result.err;
    return all("state");
  }
};

TEST_F(BatchTest, WhatAModelExpectsIsSaidOnceForAllVideos) {
  const std::string reference = made("e1.y4m", 3);
  made("e2.y4m", 5);
  const Words flags = {"-r", reference, "--model", "version=vmaf_v0.6.1", "--align", "off"};
  const std::string text = "cambi: vmaf_v0.6.1 ";
  const auto count = [&](const std::string& where) {
    size_t found = 0;
    for (size_t at = where.find(text); at != std::string::npos; at = where.find(text, at + 1)) ++found;
    return found;
  };
  const ProgramResult told = run(flags);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(count(told.err), 1U) << told.err;
  Words quiet = flags;
  quiet.insert(quiet.end(), {"--force", "-q"});
  EXPECT_EQ(count(run(quiet).err), 0U);
}

TEST_F(BatchTest, EveryVideoGetsItsReport) {
  made("e10.y4m", 3);
  made("e2.y4m", 5);
  made("s1/e1.y4m", 7);
  const ProgramResult result = run();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(all("name"), ElementsAre("e2.y4m", "e10.y4m", "s1/e1.y4m"));
  EXPECT_THAT(all("state"), ElementsAre("scored", "scored", "scored"));
  EXPECT_THAT(all("report"), ElementsAre("e2.y4m.json", "e10.y4m.json", "s1/e1.y4m.json"));
  EXPECT_THAT(result.out, testing::MatchesRegex("[^\n]*\ne2.y4m .*\ne10.y4m .*\ns1/e1.y4m .*\n[^\n]*\n"));
  // As if it had been scored by itself.
  ASSERT_EQ(run_program({in_folder("videos/e10.y4m"), "-q", "--extended", "--precision", "max", "-o",
                         in_folder("alone.json")})
                .code,
            0);
  const json alone = read_json(in_folder("alone.json")), one = report("e10.y4m");
  EXPECT_EQ(one.at("frames"), alone.at("frames"));
  EXPECT_EQ(one.at("pooled_metrics"), alone.at("pooled_metrics"));
  const double mean = alone.at("pooled_metrics").at("cambi").at("mean");
  EXPECT_NEAR(summary().at("videos")[1].at("scores").at("metrics").at("cambi").at("mean").get<double>(), mean,
              1e-6);
  EXPECT_EQ(summary().at("complete"), true);
}

TEST_F(BatchTest, ASecondRunKeepsWhatIsUpToDate) {
  const std::string a = made("a.y4m", 1);
  made("b.y4m", 2);
  ASSERT_EQ(run().code, 0);
  const std::string first = read_file(in_folder("reports/a.y4m.json"));
  const json before = summary();
  // No scores depend on these.
  EXPECT_THAT(states({"--threads", "1", "--backend", "scalar"}), ElementsAre("kept", "kept"));
  EXPECT_EQ(read_file(in_folder("reports/a.y4m.json")), first);
  json now = summary().at("videos")[0].at("scores"), was = before.at("videos")[0].at("scores");
  for (json* const scores : {&now, &was}) scores->erase("wall_seconds");  // a report has fewer digits of it
  EXPECT_EQ(now, was);

  EXPECT_THAT(states({"--force"}), ElementsAre("scored", "scored"));

  // Another content of the same length, another time.
  made("a.y4m", 9);
  fs::last_write_time(a, fs::last_write_time(a) + std::chrono::seconds(2));
  EXPECT_THAT(states(), ElementsAre("scored", "kept"));
  EXPECT_NE(read_file(in_folder("reports/a.y4m.json")), first);
}

TEST_F(BatchTest, WhatChangesScoresIsScoredAgain) {
  made("a.y4m", 1);
  for (const char* text :
       {"--topk 0.5", "--start 1", "--crop 304:232:0:0", "--feature bounds", "--precision 3", "--subsample 2",
        "--film-grain off", "--allow-damage", "--feature cambi=topk=0.5"}) {
    const Words flags = words_of(text);
    EXPECT_EQ(run().code, 0);  // the next differs from it in these flags alone
    EXPECT_THAT(states(flags), ElementsAre("scored")) << text;
    EXPECT_THAT(states(flags), ElementsAre("kept")) << text;
  }
}

TEST_F(BatchTest, AReportThatIsNotWholeIsScoredAgain) {
  made("a.y4m", 1);
  ASSERT_EQ(run().code, 0);
  const json whole = report("a.y4m");
  const auto run_with = [&](const auto& change) {
    json changed = whole;
    change(changed);
    write_file(in_folder("reports/a.y4m.json"), changed.dump());
    EXPECT_THAT(states(), ElementsAre("scored"));
    EXPECT_EQ(report("a.y4m").at("frames"), whole.at("frames"));
  };
  run_with([](json& changed) { changed["version"] = "0.0.9"; });
  run_with([](json& changed) { changed["run"]["complete"] = false; });
  run_with([](json& changed) { changed["run"].erase("origin"); });
  run_with([](json& changed) { changed["run"]["origin"]["files"][0]["bytes"] = 1; });
  run_with([](json& changed) { changed["run"]["origin"]["files"][0]["path"] = "/elsewhere/a.y4m"; });
  write_file(in_folder("reports/a.y4m.json"), "{");
  EXPECT_THAT(states(), ElementsAre("scored"));
}

TEST_F(BatchTest, ThresholdsAndSegmentsNeedNoFrames) {
  made("a.y4m", 1);
  ASSERT_EQ(run().code, 0);
  EXPECT_EQ(run({"--fail-above", "mean>0.001", "--segments", "0.001", "--formats", "csv"}).code, 7);
  EXPECT_THAT(all("state"), ElementsAre("kept"));
  const json renewed = report("a.y4m");
  EXPECT_EQ(renewed.at("run").at("thresholds")[0].at("crossed"), true);
  EXPECT_EQ(renewed.at("run").at("segments").at("list").size(), 1U);
  EXPECT_TRUE(fs::exists(in_folder("reports/a.y4m.csv")));
  EXPECT_EQ(summary().at("counts").at("crossing"), 1);

  // The same as at once.
  ASSERT_EQ(run({"--fail-above", "mean>0.001", "--segments", "0.001", "--formats", "csv", "--force"}).code,
            7);
  json parallel_map = report("a.y4m");
  for (const char* member : {"frames", "pooled_metrics", "worst"})
    EXPECT_EQ(renewed.at(member), parallel_map.at(member));
  EXPECT_EQ(renewed.at("run").at("origin"), parallel_map.at("run").at("origin"));
  EXPECT_EQ(run({"--fail-above", "mean>1000"}).code, 0);
  EXPECT_EQ(report("a.y4m").at("run").at("thresholds")[0].at("crossed"), false);
}

TEST_F(BatchTest, EachVideoHasItsBaseline) {
  made("s1/a.y4m", 1);
  made("b.y4m", 2);
  ASSERT_EQ(run().code, 0);
  fs::rename(in_folder("reports"), in_folder("old"));
  const Words flags = {"--baseline", in_folder("old"), "--fail-above", "mean>+0.5"};
  EXPECT_EQ(run(flags).code, 0);
  const json threshold = report("s1/a.y4m").at("run").at("thresholds")[0];
  EXPECT_EQ(threshold.at("baseline"), threshold.at("value"));
  EXPECT_THAT(states(flags), ElementsAre("kept", "kept"));
  fs::remove(in_folder("old/b.y4m.json"));
  EXPECT_EQ(run(flags).code, 2);  // rather than not judged
  EXPECT_EQ(run({"--baseline", in_folder("reports"), "--fail-above", "mean>+0.5"}).code, 1);
}

TEST_F(BatchTest, JunitHasASuiteForEachVideo) {
  made("a.y4m", 1);
  written("b.mp4", "no video");
  const std::string junit = in_folder("junit.xml"), step = in_folder("step.md");
  const ProgramResult result = run_program({"batch", in_folder("videos"), "--reports", in_folder("reports"),
                                            "--junit", junit, "--fail-above", "mean>0.001", "--github"},
                                           {.environment = {{"GITHUB_STEP_SUMMARY", step}}});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(read_file(junit), HasSubstr("<testsuite name=\"" + in_folder("videos/a.y4m") + "\""));
  EXPECT_THAT(read_file(junit), HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\""));
  EXPECT_THAT(result.err, HasSubstr("::error title=cambi::"));
  EXPECT_THAT(read_file(step), HasSubstr("| a.y4m |"));
  EXPECT_FALSE(fs::exists(in_folder("reports/a.y4m.xml")));
}

TEST_F(BatchTest, PagesAndPicturesNeedFrames) {
  try {
    page_assets();
  } catch (const Error&) {
    GTEST_SKIP() << "this build has no pages";
  }
  made("s1/a.y4m", 1);
  ASSERT_EQ(run().code, 0);
  EXPECT_FALSE(fs::exists(in_folder("reports/s1/a.y4m.html")));
  EXPECT_THAT(states({"--formats", "html"}), ElementsAre("scored"));
  EXPECT_THAT(all("page"), ElementsAre("s1/a.y4m.html"));
  EXPECT_THAT(read_file(in_folder("reports/s1/a.y4m.html")), HasSubstr("\"picture\":\"data:"));
  EXPECT_THAT(read_file(in_folder("reports/index.html")), HasSubstr("\"link\":\"s1/a.y4m.html\""));
  EXPECT_THAT(states({"--formats", "html"}), ElementsAre("kept"));
  // A page of other scores is none of these.
  ASSERT_EQ(run({"--topk", "0.5"}).code, 0);
  EXPECT_THAT(states({"--topk", "0.5", "--formats", "html"}), ElementsAre("scored"));
  fs::remove(in_folder("reports/s1/a.y4m.html"));
  EXPECT_THAT(states({"--topk", "0.5", "--formats", "html"}), ElementsAre("scored"));

  EXPECT_THAT(states({"--heatmaps", in_folder("maps")}), ElementsAre("scored"));
  EXPECT_TRUE(fs::is_directory(in_folder("maps/s1/a.y4m")));
  fs::create_directory(in_folder("other"));
  EXPECT_THAT(states({"--heatmaps", in_folder("other")}), ElementsAre("scored"));
  ASSERT_EQ(run({"--heatmaps", in_folder("maps")}).code, 0);
  EXPECT_THAT(states({"--heatmaps", in_folder("maps")}), ElementsAre("kept"));
}

TEST_F(BatchTest, ReferencesAreMatchedByName) {
  made("s1/a.y4m", 1);
  const std::string reference = in_folder("masters/s1/a.y4m");
  fs::create_directories(in_folder("masters/s1"));
  write_file(reference, y4m_video({.phase = 2}));
  EXPECT_EQ(run({"--feature", "psnr"}).code, 1);
  ASSERT_EQ(run({"--feature", "psnr", "--reference-dir", in_folder("masters")}).code, 0);
  EXPECT_EQ(report("s1/a.y4m").at("run").at("inputs")[1].at("path"), reference);
  EXPECT_THAT(all("reference"), ElementsAre(reference));
  // A new reference makes new scores.
  write_file(reference, y4m_video({.frames = 2, .phase = 5}));
  fs::last_write_time(reference, fs::last_write_time(reference) + std::chrono::seconds(2));
  EXPECT_THAT(states({"--feature", "psnr", "--reference-dir", in_folder("masters")}), ElementsAre("scored"));
  EXPECT_EQ(run({"--reference-dir", in_folder("masters"), "-r", reference}).code, 1);
  // One for all.
  EXPECT_EQ(run({"--feature", "psnr", "-r", reference}).code, 0);
}

TEST_F(BatchTest, JobsChangeNoScore) {
  for (int i = 1; i <= 6; ++i) made("e" + std::to_string(i) + ".y4m", i * 3);
  ASSERT_EQ(run({"--jobs", "1"}).code, 0);
  std::vector<json> frames;
  for (int i = 1; i <= 6; ++i) frames.push_back(report("e" + std::to_string(i) + ".y4m").at("frames"));
  for (const char* jobs : {"0", "3", "100"}) {
    ASSERT_EQ(run({"--jobs", jobs, "--force"}).code, 0);
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(report("e" + std::to_string(i + 1) + ".y4m").at("frames"), frames[i]);
  }
}

TEST_F(BatchTest, WhatNeedsAllMemoryIsScoredAlone) {
  for (int i = 1; i <= 3; ++i) made("e" + std::to_string(i) + ".y4m", i);
  // Just enough for one of them on all threads, so that a fourth is not enough for one on one thread.
  int64_t too_little = 0, least = 1 << 30;
  while (least - too_little > 1 << 12) {
    const int64_t middle = (too_little + least) / 2;
    const bool is_enough = run_program({in_folder("videos/e1.y4m"), "-q", "--threads", "4", "--max-memory",
                                        std::to_string(middle)})
                               .code != 8;
    (is_enough ? least : too_little) = middle;
  }
  EXPECT_THAT(states({"--jobs", "4", "--threads", "4", "--max-memory", std::to_string(least)}),
              ElementsAre("scored", "scored", "scored"));
  EXPECT_EQ(run({"--jobs", "4", "--threads", "4", "--max-memory", "100K", "--force"}).code, 8);
}

TEST_F(BatchTest, AnInterruptLeavesWholeReportsAndTheNextRunGoesOn) {
  const ProgramResult result = sent_in_the_second(SIGTERM);
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.err;
  EXPECT_THAT(all("state"), ElementsAre("scored", "left", "left"));
  EXPECT_EQ(summary().at("complete"), false);
  EXPECT_TRUE(fs::exists(in_folder("reports/a.y4m.json")));
  EXPECT_FALSE(fs::exists(in_folder("reports/b.y4m.json")));
  EXPECT_FALSE(fs::exists(in_folder("reports/b.y4m.json.partial")));
  EXPECT_THAT(states({"--frame_cnt", "0"}), ElementsAre("kept", "scored", "scored"));
}

TEST_F(BatchTest, TheNextRunGoesOnWhereOneWasKilled) {
  EXPECT_TRUE(sent_in_the_second(SIGKILL).signalled);
  EXPECT_TRUE(fs::exists(in_folder("reports/a.y4m.json")));
  EXPECT_FALSE(fs::exists(in_folder("reports/b.y4m.json")));
  EXPECT_THAT(states({"--frame_cnt", "0"}), ElementsAre("kept", "scored", "scored"));
}

}  // namespace
}  // namespace vq::cli::test
